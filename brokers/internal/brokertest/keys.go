package brokertest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// places are the partitions from which the messages of each key came.
type places struct {
	t    *testing.T
	deal *schedule.Deal

	mu   sync.Mutex
	of   map[int]uint8 // by key
	used map[uint8]int
}

func (p *places) note(conn int, seq uint64, partition uint8) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := p.deal.Key(uint32(conn), seq)
	if before, ok := p.of[key]; ok && before != partition && key >= 0 {
		p.t.Errorf("key %d is in the partitions %d and %d", key, before, partition)
	}
	p.of[key] = partition
	p.used[partition]++
}

// Record implements [load.Recorder]. A message to groups has no partition itself.
func (p *places) Record(op load.Op) {
	if op.Partition > 0 {
		p.note(op.Conn, op.Seq, op.Partition)
	}
}

// RecordDelivery implements [load.DeliveryRecorder].
func (p *places) RecordDelivery(d load.Delivery) { p.note(d.Conn, d.Seq, d.Partition) }

// keys are those of tests.
var keys = schedule.Keys{Count: 60, Zipf: 1.1, NullPPM: 100_000}

// keyed gives a factory the keys of a seed.
func keyed(t *testing.T, f requester.Factory, seed uint64) *schedule.Deal {
	t.Helper()
	names := make([]string, keys.Count)
	for i := range names {
		names[i] = fmt.Sprintf("key-%d", i)
	}
	deal := keys.Deal(seed)
	if err := requester.Key(f, requester.Keys{Names: names, Of: deal.Key}); err != nil {
		t.Fatal(err)
	}
	return deal
}

// Keys sends messages with 60 keys over as many producers as topics, at least two, and wants each to come once, in
// the order of its key and from the one partition of its key, and the keys to use so many partitions.
func Keys(t *testing.T, f requester.Factory, topology requester.Topology, partitions int) {
	t.Helper()
	const due = 1000
	if !topology.Own() {
		if _, err := requester.Arrange(f, topology); err != nil {
			t.Fatal(err)
		}
	}
	deal := keyed(t, f, 3)
	rec := &places{t: t, deal: deal, of: make(map[int]uint8), used: make(map[uint8]int)}
	cfg := load.Config{Schedule: schedule.Spec{Rate: 500, Duration: 2 * time.Second, Seed: 3}, Size: 64, Connections: max(topology.Topics, 2), Keys: keys, Topology: topology}
	o, err := load.Run(t.Context(), f, cfg, rec, load.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	whole := load.Ledger{Due: due, Done: due}
	if o.Window != whole || o.Strays != (load.Strays{}) || len(o.Left) > 0 || o.AckLedger.Disordered > 0 {
		t.Errorf("%v: %+v, strays %+v, %+v, left %v, failures %v, events %v", topology, o.Window, o.Strays, o.AckLedger, o.Left, o.Failures, o.Events)
	}
	for i, g := range o.Groups {
		if g.Ledger != whole || g.Duplicate > 0 || g.Disordered > 0 {
			t.Errorf("%v: group %d: %+v", topology, i, g)
		}
	}
	if rec.used[0] > 0 || len(rec.used) != partitions || len(rec.of) < 40 {
		t.Errorf("%v: %d keys are in the partitions %v", topology, len(rec.of), rec.used)
	}
}

// WantNoKeys wants keys to be refused in a topology.
func WantNoKeys(t *testing.T, f requester.Factory, topology requester.Topology, reason string) {
	t.Helper()
	if !topology.Own() {
		if _, err := requester.Arrange(f, topology); err != nil {
			t.Fatal(err)
		}
	}
	WantError(t, requester.Key(f, requester.Keys{Names: []string{"a"}, Of: func(uint32, uint64) int { return 0 }}), reason)
}
