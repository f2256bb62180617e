package rabbitstream

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

var _ requester.Leads = (*Factory)(nil)

// Leadership implements [requester.Leads]: the leader of the connection's stream, as the
// management API of one of the nodes tells.
func (f *Factory) Leadership(ctx context.Context, conn int) (l requester.Leadership, err error) {
	api, err := f.management("")
	if err != nil {
		return l, err
	}
	l, err = f.leaders.Ask(ctx, api, "stream", f.stream(conn))
	return l, f.explain("asking the management API (option management) who leads stream "+f.stream(conn), target.Because(ctx, err))
}
