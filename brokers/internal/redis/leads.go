package redis

import (
	"cmp"
	"context"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/internal/redis/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/redis/info"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// Leadership implements [requester.LeaderFinder]: the master, by its own account, by the
// sentinels', or by that of the cluster, where it is the master of the connection's slot. In step are the replicas that are online and lack at most the last second: they
// report once a second how far they are.
func (f *Factory) Leadership(ctx context.Context, number int) (requester.Leadership, error) {
	if !f.topology.Own() {
		number = f.topology.Topic(number)
	}
	addr, err := f.masterOf(ctx, f.channel(number))
	if err != nil {
		return requester.Leadership{}, f.Explain("asking for the master", err)
	}
	l, err := f.askLeader(ctx, addr)
	for most := f.copies.Load(); int64(l.Copies) > most && !f.copies.CompareAndSwap(most, int64(l.Copies)); {
		most = f.copies.Load()
	}
	l.Copies = int(f.copies.Load()) // a master forgets a replica that is gone
	return l, f.Explain("asking for the master", err)
}

// askLeader asks one server.
func (f *Factory) askLeader(ctx context.Context, addr string) (l requester.Leadership, err error) {
	to := newLine(f)
	to.find, to.dialer.Target.Via = always(addr), nil
	err = f.over(ctx, to, "asking for the master", func(client *redis.Client) error {
		text, err := client.Info(ctx, "replication").Result()
		if err == nil {
			l, err = info.Leadership(text, addr)
		}
		return err
	})
	return l, err
}

// replicasKnown is the setting that counts the replicas that may replace a master, those included that are away.
const replicasKnown = "replicas-known"

// replicas asks the sentinels, or the server of a cluster, for that setting; none otherwise.
func (f *Factory) replicas(ctx context.Context, client *redis.Client) []requester.Setting {
	value := ""
	switch {
	case f.options.clustered:
		if nodes, err := client.ClusterNodes(ctx).Result(); err == nil {
			value = strconv.Itoa(cluster.Replicas(nodes))
		}
	case f.options.guided:
		value = f.masterFields(ctx)["num-slaves"]
	default:
		return nil
	}
	return []requester.Setting{{
		Name: serverPrefix + replicasKnown, Value: cmp.Or(value, notKnown),
		Doc: "the server's: how many replicas may replace it, also those that are away, by the sentinels or the cluster",
	}}
}
