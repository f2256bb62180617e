package rabbitstream

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// options are the options of a target, as its URL gives them.
type options struct {
	management.Options

	batchSize, subEntry     int
	maxLength, segment      int
	retention               target.Retention
	credits                 int
	creditEach              bool
	checksum                bool
	pending                 int
	loadBalancer            bool
	heartbeat               time.Duration
	writeBuffer, readBuffer int
	noDelay                 bool
}

// fixed are the settings that are not options.
var fixed = []requester.Setting{
	{Name: "queue-type", Value: "stream", Doc: "fixed: the scheme amqp measures the other types"},
	{Name: "durable", Value: "true", Doc: "fixed: a stream outlives connections and restarts"},
	{Name: "persistent", Value: "true", Doc: "fixed: a stream writes each message to its file, and never syncs it"},
	{Name: "confirm", Value: "true", Doc: "fixed: the broker confirms each message, which is its acknowledgement"},
	{Name: "separate-connections", Value: "true", Doc: "fixed: the client has one socket to publish, one to consume, one to ask"},
	{Name: "linger", Value: "none", Doc: "fixed: the client never waits for more messages; it sends those that are there together"},
	{Name: "leader", Value: "least-leaders", Doc: "fixed: the node of a cluster that leads the stream; the client requests neither another one nor a number of replicas"},
	{Name: "compression", Value: "none", Doc: "fixed: of sub-entries"},
	{Name: "confirm-timeout", Value: "none", Doc: "fixed: the client's default gives up after 10 s"},
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.IntVar(&o.batchSize, "batch-size", 1, "messages that the client may put into one frame; 1: each request writes its own message; more: a goroutine of the client writes the messages that are queued, together")
	set.IntVar(&o.subEntry, "sub-entry-size", 1, "messages that the client packs into one entry of the stream; more than 1 needs a batch-size")
	set.IntVar(&o.maxLength, "max-length", 0, "bytes of the stream beyond which the broker removes the oldest segment; 0: no limit, and all can be read back after the run")
	o.retention.Define(set, "in segments of an eighth, or of segment-size (max-length-bytes of the streams)")
	set.IntVar(&o.segment, "segment-size", 0, "bytes of a segment, a file of the stream; 0: the broker's default, 500 MB")
	set.IntVar(&o.credits, "credits", 1000, "chunks that the broker may send before the client grants more")
	set.BoolVar(&o.creditEach, "credit-each", false, "grant credit for each chunk, as the client does by itself, and not when a quarter is used: before 4.2.1 the broker pauses for 1 ms each time")
	set.BoolVar(&o.checksum, "checksum", true, "have the client verify the checksum of each chunk")
	set.IntVar(&o.pending, "max-pending", 100_000, "messages of a connection without a confirm, beyond which a request waits; the client's default: 10000")
	set.BoolVar(&o.loadBalancer, "load-balancer", false, "connect to the URL's host only, until it leads to the right node, and not to the hosts that the broker advertises: for proxies and containers")
	set.DurationVar(&o.heartbeat, "heartbeat", 60*time.Second, "heartbeat of the connections")
	set.IntVar(&o.writeBuffer, "write-buffer", 0, "SO_SNDBUF of the sockets, in bytes; 0: as the system does it; the client's default: 8192")
	set.IntVar(&o.readBuffer, "read-buffer", 0, "SO_RCVBUF of the sockets, in bytes; 0: as the system does it; the client's default: 8192")
	set.BoolVar(&o.noDelay, "no-delay", true, "TCP_NODELAY: send small messages at once")
	o.Define(set, 4<<20, "the broker's stream.frame_max, 1 MiB by default, may lower it", Levels())
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		target.Between("batch-size", o.batchSize, 1, 10_000),
		target.Between("sub-entry-size", o.subEntry, 1, 65535),
		target.Between("max-length", o.maxLength, 1, 1<<50, 0),
		o.retention.Check(true, ""),
		target.Refuse(o.maxLength > 0 && o.retention.Bytes() > 0, "options max-length and retention both limit the streams: leave out one"),
		target.Between("segment-size", o.segment, 1, 3_000_000_000, 0),
		target.Between("credits", o.credits, 4, 32767),
		target.Between("max-pending", o.pending, 500, 1_000_000),
		target.Between("heartbeat", o.heartbeat, 3*time.Second, time.Hour),
		target.Between("write-buffer", o.writeBuffer, 1024, 1<<30, 0),
		target.Between("read-buffer", o.readBuffer, 1024, 1<<30, 0),
		o.Check(encrypted, schemeTLS, requester.Node),
		target.Refuse(o.subEntry > 1 && o.batchSize == 1, "option sub-entry-size=%d needs a batch-size of at least 2: a message alone is no batch", o.subEntry),
	)
}

// Options returns every option with its default and a line of documentation. The
// schemes, rabbitmq-stream and rabbitmq-stream+tls, have the same ones.
func Options(string) []requester.Setting {
	return target.NewOptions(name, new(options).define).Settings()
}
