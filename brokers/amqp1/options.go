package amqp1

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	minFrameSize = 4096
	maxFrameSize = 1 << 30
	maxCredit    = 1<<16 - 1
)

// options are the options of a target, as its URL gives them. Those that brokers/rabbitmq
// has as well have the same names and mean the same.
type options struct {
	queue   rabbitmq.Queue
	confirm bool
	accept  bool
	credit  int

	idleTimeout   time.Duration
	reconnectWait time.Duration
	frameSize     int
	tls           target.TLS

	durability target.Durable
	management string
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	o.queue.Define(set)
	set.BoolVar(&o.confirm, "confirm", false, "send messages unsettled: the broker's outcome is their acknowledgement, or why they failed; nobody waits for it. Otherwise they are sent settled, and one that is refused counts as lost")
	set.BoolVar(&o.accept, "accept", false, "have the broker keep what it delivers until it is accepted; otherwise it delivers it settled")
	set.IntVar(&o.credit, "credit", 1000, "deliveries that may be on their way at once, and with accept=true not accepted yet")
	set.DurationVar(&o.idleTimeout, "idle-timeout", 15*time.Second, "how long the broker may say nothing, or read nothing, until its connection is given up; 0: for ever")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "pause before each attempt to reconnect")
	set.IntVar(&o.frameSize, "frame-size", 128<<10, "largest frame in bytes that the broker may send; it sets the limit for those it gets")
	o.tls.Define(set)
	o.durability.Define(set, Levels())
	set.StringVar(&o.management, "management", "", "URL of the management API, which is asked for the nodes of the cluster; \"\": port 15672 of the first host")
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		o.queue.Check(),
		target.Between("credit", o.credit, 2, maxCredit),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Minute),
		target.Between("frame-size", o.frameSize, minFrameSize, maxFrameSize),
		target.Between("idle-timeout", o.idleTimeout, 2*time.Second, time.Hour, 0),
		o.tls.Check(encrypted, schemeTLS),
		o.durability.Check(o.queue.Backs(o.confirm)),
	)
}

// Options returns every option with its default and a line of documentation. The
// schemes, amqp1 and amqp1s, have the same ones.
func Options(string) []requester.Setting {
	return target.NewOptions("amqp1", new(options).define).Settings()
}
