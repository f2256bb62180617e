package amqp1

import (
	"context"

	"github.com/brokerbench/brokerbench/requester"
)

var _ requester.Leads = (*Factory)(nil)

// Leadership implements [requester.Leads]. The queues are RabbitMQ's, whatever the protocol.
func (f *Factory) Leadership(ctx context.Context, conn int) (requester.Leadership, error) {
	return f.queues.Leadership(ctx, conn)
}
