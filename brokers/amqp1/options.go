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

	quorum = "quorum"
)

// options are the options of a target, as its URL gives them. Those that brokers/rabbitmq
// has as well have the same names and mean the same.
type options struct {
	queueType string
	durable   bool
	maxLength int

	persistent bool
	confirm    bool
	accept     bool
	credit     int

	idleTimeout   time.Duration
	reconnectWait time.Duration
	frameSize     int
	tls           target.TLS

	durability target.Durable
	management string
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.Choice(&o.queueType, "queue-type", "classic", []string{"classic", quorum}, "type of each connection's queue; quorum needs durable=true")
	set.BoolVar(&o.durable, "durable", false, "keep the queue when its connection is lost or the broker restarts; otherwise it is exclusive and goes with the connection")
	set.IntVar(&o.maxLength, "max-length", 0, "messages in the queue above which the broker rejects more; 0: no limit")
	set.BoolVar(&o.persistent, "persistent", false, "write messages to disk; needs durable=true")
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
		target.Between("max-length", o.maxLength, 0, 1<<31-1),
		target.Between("credit", o.credit, 2, maxCredit),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Minute),
		target.Between("frame-size", o.frameSize, minFrameSize, maxFrameSize),
		target.Between("idle-timeout", o.idleTimeout, 2*time.Second, time.Hour, 0),
		o.tls.Check(encrypted, schemeTLS),
		target.Refuse(o.queueType == quorum && !o.durable, "option queue-type=quorum needs durable=true: quorum queues are always durable"),
		target.Refuse(o.persistent && !o.durable, "option persistent=true needs durable=true: otherwise messages go with their queue"),
		o.durability.Check(rabbitmq.Backs(o.queueType, o.durable, o.confirm, o.persistent)),
	)
}

// Options returns every option with its default and a line of documentation. The
// schemes, amqp1 and amqp1s, have the same ones.
func Options(string) []requester.Setting {
	return target.NewOptions("amqp1", new(options).define).Settings()
}
