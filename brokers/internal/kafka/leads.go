package kafka

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

var _ requester.LeaderFinder = (*Factory)(nil)

// Leadership implements [requester.LeaderFinder]: the leader of the first partition of the
// connection's topic in the metadata of one broker. In step are the replicas in its ISR.
func (f *Factory) Leadership(ctx context.Context, conn int) (requester.Leadership, error) {
	l, err := target.Ask(ctx, f.Target.Addrs(defaultPort), func(ctx context.Context, addr string) (requester.Leadership, error) {
		return f.askLeader(ctx, addr, f.topic(conn))
	})
	return l, f.explain("asking for the leader of topic "+f.topic(conn), err)
}

// askLeader asks one broker: a new client has heard of no other one, which may be down.
func (f *Factory) askLeader(ctx context.Context, addr, topic string) (l requester.Leadership, err error) {
	opts := append(f.adminOpts(), kgo.SeedBrokers(addr), kgo.WithContext(ctx))
	if len(f.Target.Via) > 0 {
		opts = append(opts, kgo.Dialer(f.dialer(func(addr string) string { return addr })))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return l, err
	}
	defer client.Close()
	said, err := cluster.Admin(client).Metadata(ctx, topic)
	if err != nil {
		return l, err
	}
	return cluster.Leadership(said, topic)
}
