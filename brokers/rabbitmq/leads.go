package rabbitmq

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/requester"
)

var _ requester.Leads = (*Factory)(nil)

// Leadership implements [requester.Leads]: the leader of the connection's queue, or the node
// that has it, as the management API of one of the nodes tells. In step are the members that
// are online: how far they are, it does not tell.
func (f *Factory) Leadership(ctx context.Context, conn int) (l requester.Leadership, err error) {
	api, err := f.management("")
	if err != nil {
		return l, err
	}
	bases, protocol := []string{api.Base}, "amqp"
	if f.encrypted() {
		protocol = "amqp/ssl"
	}
	for _, addr := range f.target.Addrs("5672")[1:] {
		bases = append(bases, management.Usual(addr, f.encrypted()))
	}
	l, err = f.leaders.Ask(ctx, api, bases, protocol, f.queue(conn))
	return l, f.explain("asking the management API (option management) who leads queue "+f.queue(conn), err)
}
