package load_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// swapper answers a message only after the next one, and tells the partitions of both.
type swapper struct {
	sink requester.Sink
	held []byte
}

func (s *swapper) New(_ int, sink requester.Sink) (requester.Requester, error) {
	s.sink = sink
	return s, nil
}

func (*swapper) Traits() requester.Traits       { return requester.Traits{Acknowledges: true} }
func (*swapper) Setup(context.Context) error    { return nil }
func (*swapper) Teardown(context.Context) error { return nil }

func (s *swapper) Request(_ context.Context, p []byte) error {
	s.sink.Acked(p)
	if stamp, _ := requester.ReadStamp(p); stamp.Seq == requester.ProbeSeq {
		s.sink.Reply(p)
		return nil
	}
	if s.held == nil {
		s.held = append(make([]byte, 0, len(p)), p...)
		return nil
	}
	s.sink.From(200) // above what is told apart
	s.sink.Reply(p)
	s.sink.From(0)
	s.sink.Reply(s.held)
	s.held = nil
	return nil
}

type partitions map[uint8]int

func (p partitions) Record(op load.Op) { p[op.Partition]++ }

// A message is disordered if a later one of its key came back before; those without a key have no order.
func TestOrderWithinAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due = 1000
		for _, keys := range []schedule.Keys{{}, {Count: 1}, {Count: 3, Zipf: 1}, {Count: 3, NullPPM: 500_000}} {
			deal, want := keys.Deal(5), int64(0)
			for seq := uint64(0); seq < due; seq += 2 {
				if deal == nil || deal.Key(0, seq) >= 0 && deal.Key(0, seq) == deal.Key(0, seq+1) {
					want++
				}
			}
			rec := make(partitions)
			cfg := load.Config{Schedule: schedule.Spec{Rate: 1000, Duration: time.Second, Seed: 5}, Size: 32, Keys: keys, NewWaiter: unlocked}
			o, err := load.Run(t.Context(), &swapper{}, cfg, rec, load.Hooks{})
			if err != nil || o.Window.Done != due || o.AckLedger.Disordered != want {
				t.Errorf("%v: %d done, %d out of order, want %d; %v", keys, o.Window.Done, o.AckLedger.Disordered, want, err)
			}
			if rec[1] != due/2 || rec[load.MostPartitions] != due/2 {
				t.Errorf("%v: by partition: %v", keys, rec)
			}
		}
	})
}
