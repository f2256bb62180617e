package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
)

// errKeepsLess means that a topic keeps less than Describe reported.
var errKeepsLess = errors.New("less durability than was reported")

// readBack asks for the settings of a created topic, if the level of durability depends on them:
// a broker may accept a setting and ignore it, as some do that only speak Kafka's protocol. The
// error is errKeepsLess if the topic keeps less than Describe reported. A setting that the broker
// does not reveal is a doubt, and so is errKeepsLess if the level is not checked.
func (f *Factory) readBack(ctx context.Context, admin *kadm.Client, topic string) (doubts []string, err error) {
	said := f.said()
	if !said.AtLeast(requester.Process) {
		return nil, nil
	}
	details, err := admin.ListTopics(ctx, topic)
	if err != nil {
		return nil, err
	}
	var config map[string]string
	if f.options.flush == 1 || f.options.backs() == requester.Node {
		if config, err = cluster.TopicConfig(ctx, admin, topic); err != nil {
			return nil, err
		}
	}
	copies := details[topic].Partitions.NumReplicas()
	for _, p := range details[topic].Partitions { // the partition counts that has the fewest
		copies = min(copies, len(p.Replicas))
	}
	for _, limit := range f.options.topicLimits(copies, config) {
		less := fmt.Errorf("%s, which backs %s at most, and not %s: %w", limit.Because, limit.Level, said, errKeepsLess)
		switch {
		case limit.Level.AtLeast(said):
		case limit.Unknown:
			doubts = append(doubts, "durability is not verified: "+limit.Because)
		case f.options.durable.Checked():
			return nil, less
		default:
			doubts = append(doubts, "durability is not backed: "+less.Error())
		}
	}
	return doubts, nil
}

// said returns the level of durability that Describe reported, or else the one that the option
// asks for.
func (f *Factory) said() requester.Durability {
	if b := f.backed.Load(); b != nil {
		return b.Promised()
	}
	return f.options.durable.Asked()
}

// topicLimits returns the limits that the configuration of a topic sets, with n copies of each
// partition.
func (o *options) topicLimits(n int, config map[string]string) []target.Limit {
	l := limiter{of: "the topic's", config: config}
	few := target.Limit{Because: fmt.Sprintf("the topic's number of copies is %d", n)}
	switch {
	case o.acks == "1" && n > 1: // alone counts on there being no other
		few.Level = requester.Accepted
		l.limits = append(l.limits, few)
	case o.backs() == requester.Node && n < max(o.replication, 2):
		few.Level = o.alone()
		l.limits = append(l.limits, few)
	}
	if o.backs() == requester.Node && l.number("min.insync.replicas") < 2 {
		l.limit(o.alone(), "min.insync.replicas", "")
	}
	if o.flush == 1 && l.number("flush.messages") != 1 {
		l.limit(requester.Process, "flush.messages", "")
	}
	return l.limits
}
