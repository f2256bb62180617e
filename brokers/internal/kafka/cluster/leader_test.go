package cluster

import (
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

func TestWhoLeadsThePartition(t *testing.T) {
	metadata := func(leader int32, err error) kadm.Metadata {
		return kadm.Metadata{
			Brokers: kadm.BrokerDetails{{NodeID: 0, Host: "a", Port: 9092}, {NodeID: 1, Host: "b", Port: 9092}}, // 2 is down
			Topics: kadm.TopicDetails{"t": {Err: err, Partitions: kadm.PartitionDetails{
				1: {Partition: 1, Leader: 0}, 0: {Leader: leader, Replicas: []int32{2, 1, 0}, ISR: []int32{1, 0}},
			}}},
		}
	}
	l, err := Leadership(metadata(1, nil), "t")
	if got, want := fmt.Sprintf("%s %v %d %d", l.Leader, l.Followers, l.InStep, l.Copies), "b:9092 [2 a:9092] 2 3"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	for _, c := range []struct {
		said kadm.Metadata
		want error
	}{
		{metadata(-1, nil), kerr.LeaderNotAvailable},
		{metadata(2, nil), kerr.LeaderNotAvailable},
		{metadata(1, kerr.UnknownTopicOrPartition), kerr.UnknownTopicOrPartition},
	} {
		if _, err := Leadership(c.said, "t"); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if _, err := Leadership(kadm.Metadata{}, "t"); err == nil {
		t.Error("nobody said anything, and somebody leads")
	}
}
