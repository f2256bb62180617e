package kafka

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var _ requester.LeaderFinder = (*Factory)(nil)

// Leadership implements [requester.LeaderFinder]: the leader of the first partition of the
// connection's topic in the metadata of one broker. In step are the replicas in its ISR.
func (f *Factory) Leadership(ctx context.Context, conn int) (requester.Leadership, error) {
	l, err := target.Ask(ctx, f.target.Addrs(defaultPort), func(ctx context.Context, addr string) (requester.Leadership, error) {
		return f.askLeader(ctx, addr, f.topic(conn))
	})
	return l, f.explain("asking for the leader of topic "+f.topic(conn), err)
}

// askLeader asks one broker. It asks the seed itself: franz-go would send the question to any
// broker that it has heard of, also to one that is down.
func (f *Factory) askLeader(ctx context.Context, addr, topic string) (l requester.Leadership, err error) {
	opts := append(f.adminOpts(), kgo.SeedBrokers(addr), kgo.WithContext(ctx))
	if len(f.target.Via) > 0 {
		opts = append(opts, kgo.Dialer(f.dialer(func(addr string) string { return addr })))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return l, err
	}
	defer client.Close()
	question, of := kmsg.NewPtrMetadataRequest(), kmsg.NewMetadataRequestTopic()
	of.Topic = kmsg.StringPtr(topic)
	question.Topics = append(question.Topics, of)
	said, err := client.SeedBrokers()[0].RetriableRequest(ctx, question)
	if err != nil {
		return l, err
	}
	return leadership(said.(*kmsg.MetadataResponse), topic)
}

// leadership reads the leader from a broker's metadata of one topic.
func leadership(said *kmsg.MetadataResponse, topic string) (l requester.Leadership, err error) {
	if len(said.Topics) != 1 {
		return l, fmt.Errorf("the answer is about %d topics", len(said.Topics))
	}
	if err := kerr.ErrorForCode(said.Topics[0].ErrorCode); err != nil {
		return l, err
	}
	i := slices.IndexFunc(said.Topics[0].Partitions, func(p kmsg.MetadataResponseTopicPartition) bool { return p.Partition == 0 })
	if i < 0 {
		return l, kerr.UnknownTopicOrPartition
	}
	p := said.Topics[0].Partitions[i]
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
