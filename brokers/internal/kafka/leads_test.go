package kafka

import (
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestWhoLeadsThePartition(t *testing.T) {
	metadata := func(leader int32, code int16) *kmsg.MetadataResponse {
		said := kmsg.NewPtrMetadataResponse()
		for id, host := range []string{"a", "b"} { // 2 is down
			said.Brokers = append(said.Brokers, kmsg.MetadataResponseBroker{NodeID: int32(id), Host: host, Port: 9092})
		}
		said.Topics = []kmsg.MetadataResponseTopic{{ErrorCode: code, Partitions: []kmsg.MetadataResponseTopicPartition{
			{Partition: 1, Leader: 0}, {Partition: 0, Leader: leader, Replicas: []int32{2, 1, 0}, ISR: []int32{1, 0}},
		}}}
		return said
	}
	l, err := leadership(metadata(1, 0), "t")
	if got, want := fmt.Sprintf("%s %v %d %d", l.Leader, l.Followers, l.InStep, l.Copies), "b:9092 [2 a:9092] 2 3"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	for _, c := range []struct {
		said *kmsg.MetadataResponse
		want error
	}{
		{metadata(-1, 0), kerr.LeaderNotAvailable},
		{metadata(2, 0), kerr.LeaderNotAvailable},
		{metadata(1, kerr.UnknownTopicOrPartition.Code), kerr.UnknownTopicOrPartition},
	} {
		if _, err := leadership(c.said, "t"); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if _, err := leadership(kmsg.NewPtrMetadataResponse(), "t"); err == nil {
		t.Error("nobody said anything, and somebody leads")
	}
}
