package nsq

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "nsq"
	schemeTLS = "nsq+tls"
	minute    = time.Minute
)

// options are the options of a target, as its URL gives them.
type options struct {
	http          string
	auditChannel  bool
	maxInFlight   int
	outputBuffer  int
	outputTimeout time.Duration
	messageLimit  time.Duration
	heartbeat     time.Duration
	writeTimeout  time.Duration
	reconnectWait time.Duration
	tls           target.TLS
	durability    target.Durable
}

// define adds every option to set, with its default. Those of the client are the client's own, but
// reconnect-wait.
func (o *options) define(set target.Options) {
	set.StringVar(&o.http, "http", "", "URL of nsqd's HTTP interface, which creates and deletes topics; by default port 4151 of the host")
	set.BoolVar(&o.auditChannel, "audit-channel", false, "give each topic a second channel without consumers, from which the audit reads back the messages that the broker kept")
	set.IntVar(&o.maxInFlight, "max-in-flight", 1, "messages that nsqd delivers before the first is finished (max_in_flight); nsqd sends at once only when none more may be on its way, otherwise see output-buffer-timeout")
	set.IntVar(&o.outputBuffer, "output-buffer-size", 16384, "bytes of deliveries that nsqd collects before it sends them; -1: none")
	set.DurationVar(&o.outputTimeout, "output-buffer-timeout", 250*time.Millisecond, "how long nsqd collects deliveries while more may be on their way; -1ms: it does not")
	set.DurationVar(&o.messageLimit, "msg-timeout", 0, "after which a delivery that is not finished is made again; 0: as nsqd is configured")
	set.DurationVar(&o.heartbeat, "heartbeat-interval", 30*time.Second, "of nsqd; a connection that is silent for twice as long is given up")
	set.DurationVar(&o.writeTimeout, "write-timeout", time.Second, "after which a connection that takes no data is given up")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "pause before each attempt to reconnect; the client's own, of consumers, is 60s")
	o.tls.Define(set)
	o.durability.Define(set, Levels())
}

// check reports every option with a bad value, and options that contradict each other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		target.CheckHTTP("http", o.http),
		target.Between("max-in-flight", o.maxInFlight, 1, 1<<20),
		target.Between("output-buffer-size", o.outputBuffer, 64, 1<<20, -1),
		target.Between("output-buffer-timeout", o.outputTimeout, 25*time.Millisecond, minute, -time.Millisecond),
		target.Between("msg-timeout", o.messageLimit, time.Second, time.Hour, 0),
		target.Between("heartbeat-interval", o.heartbeat, time.Second, minute),
		target.Between("write-timeout", o.writeTimeout, 100*time.Millisecond, minute),
		target.Between("reconnect-wait", o.reconnectWait, 10*time.Millisecond, minute),
		o.tls.Check(encrypted, schemeTLS),
		o.durability.Check(requester.Accepted),
	)
}

// Options returns every option with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions("nsq", new(options).define).Settings()
}

// Levels returns the levels of durability with the options for each.
func Levels() []target.Level {
	const none = "NSQ has no such level: "
	return []target.Level{
		{Durability: requester.None, Note: "nsqd answers every message"},
		{Durability: requester.Accepted, Note: "OK: the message is in the memory of nsqd, or beyond --mem-queue-size in a file that is not synced"},
		{Durability: requester.Process, Note: none + "messages in memory are lost with the process"},
		{Durability: requester.Machine, Note: none + "files are synced after 2500 messages or 2 s"},
		{Durability: requester.Node, Note: none + "a message is on one nsqd"},
	}
}
