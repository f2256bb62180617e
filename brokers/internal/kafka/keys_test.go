package kafka

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"", exactly + "20ms"} {
		t.Run(options, func(t *testing.T) { brokertest.Headers(t, open(t, brokertest.URL(t, "KAFKA"), options)) })
	}
}

// seen counts the messages of each key by partition.
type seen struct {
	deal       *schedule.Deal
	partitions chan [2]int
}

func (s *seen) Record(op load.Op) {
	s.partitions <- [2]int{s.deal.Key(uint32(op.Conn), op.Seq), int(op.Partition)}
}

func (s *seen) RecordDelivery(d load.Delivery) {
	s.partitions <- [2]int{s.deal.Key(uint32(d.Conn), d.Seq), int(d.Partition)}
}

// All messages of a key are in one partition, in order, with groups of consumers too, and the keys use all
// partitions.
func TestAKeyHasOnePartition(t *testing.T) {
	keys, names := schedule.Keys{Count: 60, Zipf: 1.1, NullPPM: 100_000}, make([]string, 60)
	for i := range names {
		names[i] = string(rune('A' + i))
	}
	for _, topology := range []requester.Topology{{}, {Topics: 1, Groups: 2, Members: 2}} {
		const due = 1000
		f, deal := open(t, brokertest.URL(t, "KAFKA"), "partitions=4"), keys.Deal(3)
		if err := requester.Key(f, requester.Keys{Names: names, Of: deal.Key}); err != nil {
			t.Fatal(err)
		}
		rec := &seen{deal: deal, partitions: make(chan [2]int, 3*due)}
		cfg := load.Config{Schedule: schedule.Spec{Rate: 500, Duration: 2 * time.Second, Seed: 3}, Size: 64, Connections: 2, Keys: keys, Topology: topology}
		o, err := load.Run(t.Context(), f, cfg, rec, load.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		if o.Window != (load.Ledger{Due: due, Done: due}) || o.AckLedger.Disordered > 0 || len(o.Left) > 0 {
			t.Errorf("%v: %+v, %+v, left %v", topology, o.Window, o.AckLedger, o.Left)
		}
		close(rec.partitions)
		used := make(map[int]bool)
		where := make(map[int]int)
		for one := range rec.partitions {
			key, partition := one[0], one[1]
			if partition == 0 {
				if topology.Own() {
					t.Errorf("%v: a message of key %d has no partition", topology, key)
				}
				continue // the message itself, which is done when its last group has it
			}
			if before, ok := where[key]; ok && before != partition && key >= 0 {
				t.Errorf("%v: key %d is in the partitions %d and %d", topology, key, before, partition)
			}
			where[key], used[partition] = partition, true
		}
		if len(used) != 4 || len(where) < 40 {
			t.Errorf("%v: %d keys are in the partitions %v", topology, len(where), used)
		}
	}
}
