package rabbitmq

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	direct          = "direct"
	fanout          = "fanout"
	defaultExchange = "default"
)

// options are the options of a target, as its URL gives them.
type options struct {
	management.Options

	queue     Queue
	exchange  string
	mandatory bool
	confirm   bool
	prefetch  int
	separate  bool
	heartbeat time.Duration
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	o.queue.Define(set)
	set.Choice(&o.exchange, "exchange", defaultExchange, []string{defaultExchange, direct, fanout, "topic"}, "exchange in front of the queue, the default one or a new one of this type; with groups of consumers, fanout instead of the default one")
	set.BoolVar(&o.mandatory, "mandatory", true, "have the broker return messages that reach no queue: they count as failed instead of lost")
	set.BoolVar(&o.confirm, "confirm", false, "have the broker confirm each message as its acknowledgement; the client does not wait for it, but a rejected message counts as failed")
	set.IntVar(&o.prefetch, "prefetch", 0, "deliveries that may be unacknowledged at once; 0: no acknowledgements")
	set.BoolVar(&o.separate, "separate-connections", false, "publish over a second connection")
	set.DurationVar(&o.heartbeat, "heartbeat", 10*time.Second, "heartbeat timeout of a connection, as AMQP defines it; 0: as the broker proposes")
	o.Define(set, 128<<10, "the broker's frame_max may lower it", Levels())
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		o.queue.Check(),
		target.Between("prefetch", o.prefetch, 0, 1<<16-1),
		target.Between("heartbeat", o.heartbeat, time.Second, time.Hour, 0),
		target.Refuse(o.Audits() && o.exchange == defaultExchange, "option durability=%s needs exchange=fanout, direct or topic, which routes each message to the audit queue, too", o.Durability.Asked()),
		o.Check(encrypted, schemeTLS, o.backs()),
	)
}

// Options returns every option with its default and a line of documentation. The
// schemes, amqp and amqps, have the same ones.
func Options(string) []requester.Setting {
	return target.NewOptions("rabbitmq", new(options).define).Settings()
}
