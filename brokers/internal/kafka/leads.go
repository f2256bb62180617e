package kafka

import (
	"cmp"
	"context"
	"net"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
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
	said, err := administrator(client).Metadata(ctx, topic)
	if err != nil {
		return l, err
	}
	return leadership(said, topic)
}

// leadership reads the leader from a broker's metadata of one topic.
func leadership(said kadm.Metadata, topic string) (l requester.Leadership, err error) {
	p, ok := said.Topics[topic].Partitions[0]
	switch err := said.Topics[topic].Err; {
	case err != nil:
		return l, err
	case !ok:
		return l, kerr.UnknownTopicOrPartition
	}
	at := make(map[int32]string)
	for _, b := range said.Brokers {
		at[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	if p.Leader < 0 || at[p.Leader] == "" {
		return l, kerr.LeaderNotAvailable
	}
	l = requester.Leadership{What: "topic " + topic + ", partition 0", Leader: at[p.Leader], InStep: len(p.ISR), Copies: len(p.Replicas)}
	for _, id := range p.Replicas {
		if id != p.Leader { // the address of one that is down is not known
			l.Followers = append(l.Followers, cmp.Or(at[id], strconv.Itoa(int(id))))
		}
	}
	return l, nil
}
