package amqp1

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
)

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. The queues are RabbitMQ's, whatever the protocol:
// brokers/rabbitmq finds them.
func (f *Factory) Find(ctx context.Context, q leftover.Query) ([]leftover.Thing, string, error) {
	return f.queues.Find(ctx, q)
}

// Remove implements [leftover.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []leftover.Thing) []error {
	return f.queues.Remove(ctx, things)
}
