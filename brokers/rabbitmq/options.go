package rabbitmq

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	minFrameSize = 4096 // of AMQP 0-9-1
	maxFrameSize = 1 << 30
	maxPrefetch  = 1<<16 - 1

	direct          = "direct"
	defaultExchange = "default"
	quorum          = "quorum"
)

// options are the options of a target, as its URL gives them.
type options struct {
	queueType string
	durable   bool
	maxLength int
	exchange  string

	persistent bool
	mandatory  bool
	confirm    bool
	prefetch   int

	separate      bool
	heartbeat     time.Duration
	reconnectWait time.Duration
	frameSize     int
	tls           target.TLS
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.Choice(&o.queueType, "queue-type", "classic", []string{"classic", quorum}, "of each connection's queue; quorum needs durable=true")
	set.BoolVar(&o.durable, "durable", false, "the queue outlives its connection and the broker; else it is exclusive and deleted with the connection")
	set.IntVar(&o.maxLength, "max-length", 0, "messages that wait in the queue before the broker rejects more; 0: no limit")
	set.Choice(&o.exchange, "exchange", defaultExchange, []string{defaultExchange, direct, "fanout", "topic"}, "what routes to the queue: the default exchange, or one of its own of that type")
	set.BoolVar(&o.persistent, "persistent", false, "messages are written to disk; needs durable=true")
	set.BoolVar(&o.mandatory, "mandatory", true, "the broker returns what reaches no queue, and the op is failed instead of lost")
	set.BoolVar(&o.confirm, "confirm", false, "the broker confirms each message; not waited for, a negative one makes the op failed")
	set.IntVar(&o.prefetch, "prefetch", 0, "deliveries on the way without acknowledgement; 0: they need none")
	set.BoolVar(&o.separate, "separate-connections", false, "publish over a connection of its own")
	set.DurationVar(&o.heartbeat, "heartbeat", 10*time.Second, "longest silence on a connection; 0: as the broker proposes")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "before each attempt to connect again")
	set.IntVar(&o.frameSize, "frame-size", 128<<10, "largest frame in bytes; the broker's frame_max may lower it")
	o.tls.Define(set)
}

// check finds what does not go together. It reports everything at once.
func (o *options) check(t target.Target) error {
	errs := []error{
		target.Between("max-length", o.maxLength, 0, 1<<31-1),
		target.Between("prefetch", o.prefetch, 0, maxPrefetch),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Minute),
		target.Between("frame-size", o.frameSize, minFrameSize, maxFrameSize),
		o.tls.Check(t.Scheme == schemeTLS, schemeTLS),
	}
	if o.heartbeat != 0 {
		errs = append(errs, target.Between("heartbeat", o.heartbeat, time.Second, time.Hour))
	}
	if o.queueType == quorum && !o.durable {
		errs = append(errs, errors.New("option queue-type=quorum needs durable=true: there are no other quorum queues"))
	}
	if o.persistent && !o.durable {
		errs = append(errs, errors.New("option persistent=true needs durable=true: else messages are gone with their queue"))
	}
	return errors.Join(errs...)
}

// Options returns every option with its default and a line of documentation. The
// schemes, amqp and amqps, have the same ones.
func Options(string) []requester.Setting {
	set := target.NewOptions("rabbitmq")
	new(options).define(set)
	return set.Settings()
}
