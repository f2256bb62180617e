package amqp1

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
)

// arguments returns the arguments of the queue. The type is always among them,
// because a vhost may have another default.
func (o *options) arguments() map[string]any {
	args := map[string]any{"x-queue-type": o.queueType}
	if o.durable {
		args["x-expires"] = rabbitmq.Expiry.Milliseconds()
	}
	if o.maxLength > 0 {
		args["x-max-length"], args["x-overflow"] = int64(o.maxLength), "reject-publish"
	}
	return args
}

// remove deletes the queue of a connection, over a new connection: the measured one may be
// gone, or blocked.
func (f *Factory) remove(ctx context.Context, number int) error {
	queue := f.queue(number)
	c, err := f.dial(ctx, number, queue+" is removed")
	if err != nil {
		return f.explain("removing queue "+queue+", which expires unused in "+rabbitmq.Expiry.String(), err)
	}
	defer c.close()
	return f.explain("removing queue "+queue, c.manage(ctx, func(n *node) error { return n.remove(ctx, queue) }))
}
