package kafka

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"", exactly + "20ms"} {
		t.Run(options, func(t *testing.T) { brokertest.Headers(t, open(t, brokertest.URL(t, "KAFKA"), options)) })
	}
}

// All messages of a key are in one partition, in order, with groups of consumers too, and the keys use all
// partitions. With several topics a key has one topic.
func TestAKeyHasOnePartition(t *testing.T) {
	for topology, partitions := range map[requester.Topology]int{{}: 4, {Topics: 1, Groups: 2, Members: 2}: 4, {Topics: 3, Groups: 2, Members: 2}: 12} {
		brokertest.Keys(t, open(t, brokertest.URL(t, "KAFKA"), "partitions=4"), topology, partitions)
	}
}

func TestABacklogWithKeys(t *testing.T) {
	brokertest.KeyedBacklog(t, open(t, brokertest.URL(t, "KAFKA"), "partitions=4"), requester.Topology{Topics: 2, Groups: 2, Members: 2})
}
