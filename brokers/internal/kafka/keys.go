package kafka

import (
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TakeKeys implements [requester.KeyTaker].
func (f *Factory) TakeKeys(k requester.Keys) error {
	f.dress.Keys = k
	return nil
}

// TakeHeaders implements [requester.HeaderTaker].
func (f *Factory) TakeHeaders(h requester.Headers) error {
	f.dress.SetHeaders(h)
	return nil
}

// to returns the topic to which a message with a key goes: that of the key, if producers share topics.
func (c *conn) to(key []byte) string {
	shared := &c.factory.shared
	if key == nil || shared.topology.Own() {
		return c.sendsTo
	}
	return shared.topics[requester.TopicOf(key, len(shared.topics))].topic
}

// partition returns the number of the partition of a record, counted over the topics that producers share. The
// topics of connections are counted together.
func (f *Factory) partition(record *kgo.Record) int {
	if f.shared.topology.Own() {
		return int(record.Partition)
	}
	return target.Number(record.Topic)*f.options.partitions + int(record.Partition)
}
