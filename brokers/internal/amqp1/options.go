package amqp1

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// options are the options of a target, as its URL gives them. Those that package rabbitmq
// has as well have the same names and meanings.
type options struct {
	management.Options

	queue       rabbitmq.Queue
	confirm     bool
	address     string // of each connection's queue; "": as RabbitMQ has them
	accept      bool
	credit      int
	idleTimeout time.Duration
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	o.queue.Define(set)
	set.StringVar(&o.address, "address", "", "of each connection's queue in a broker other than RabbitMQ, with {name} (brokerbench.<run>.<connection>) or {number} (of the connection) in it; dynamic: the broker makes a temporary queue; \"\": RabbitMQ")
	set.BoolVar(&o.confirm, "confirm", false, "send messages unsettled: the broker's outcome is their acknowledgement, or why they failed; the client does not wait for it. Otherwise they are sent settled, and one that is refused counts as lost")
	set.BoolVar(&o.accept, "accept", false, "have the broker keep each delivery until it is accepted; otherwise it delivers settled")
	set.IntVar(&o.credit, "credit", 1000, "deliveries that may be on their way at once, and with accept=true not accepted yet")
	set.DurationVar(&o.idleTimeout, "idle-timeout", 15*time.Second, "how long the broker may send nothing, or read nothing, until its connection is given up; 0: for ever")
	o.Define(set, 128<<10, "the limit for those that the broker sends; it sets its own for those that it receives", Levels())
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		o.queue.Check(),
		target.Between("credit", o.credit, 2, 1<<16-1),
		target.Between("idle-timeout", o.idleTimeout, 2*time.Second, time.Hour, 0),
		o.checkAddress(),
		o.Check(encrypted, schemeTLS, o.backs()),
	)
}

// Options returns every option with its default and a line of documentation. The
// schemes, amqp1 and amqp1s, have the same ones.
func Options(string) []requester.Setting {
	return target.NewOptions("amqp1", new(options).define).Settings()
}

// Levels returns how RabbitMQ keeps each level of durability through AMQP 1.0, which
// refuses messages that reach no queue.
func Levels() []target.Level {
	return rabbitmq.LevelsWith("durable=true&confirm=true", "without durable a queue goes with its connection")
}
