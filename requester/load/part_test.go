package load_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// sentBy are the messages of an agent, as they were recorded.
type sentBy struct {
	mu  sync.Mutex
	all map[[2]int64]int // by connection of the whole and due
	own []schedule.Part
}

func (s *sentBy) Record(op load.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[[2]int64{int64(s.own[op.Conn].Index), int64(op.Due)}]++
}

// Agents that start at the same moment: their messages are those of one, and so is the
// sum of their ledgers.
func TestSharesOfARunAddUpToOne(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(10)} {
		synctest.Test(t, func(t *testing.T) {
			cfg := load.Config{
				Schedule: schedule.Spec{Arrivals: arrivals, Rate: 997, Duration: 3 * time.Second, Seed: 3},
				Warmup:   time.Second, Size: 64, Connections: 7, NewWaiter: load.SleepWaiter,
			}
			one, three := runParts(t, cfg, 1), runParts(t, cfg, 3)
			if three.ledger != one.ledger || three.ledger.Check() != nil || three.ledger.Due == 0 {
				t.Errorf("%s: three agents: %+v, one: %+v", arrivals, three.ledger, one.ledger)
			}
			if !maps.Equal(one.all, three.all) {
				t.Errorf("%s: three agents send other messages than one", arrivals)
			}
		})
	}
}

type shared struct {
	all    map[[2]int64]int
	ledger load.Ledger
	sizes  []load.Ledger
}

// runParts runs the parts of a config on a loopback each, all beginning at once.
func runParts(t *testing.T, cfg load.Config, agents int) (s shared) {
	t.Helper()
	s.all = make(map[[2]int64]int)
	start := time.Now().Add(time.Second)
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range agents {
		part := cfg
		part.Part = schedule.Part{Index: i, Of: agents}
		all.Go(func() {
			f, err := loopback.New(loopback.Config{Delay: time.Millisecond})
			if err != nil {
				t.Error(err)
				return
			}
			by := &sentBy{all: make(map[[2]int64]int), own: part.Parts()}
			ready := func(context.Context) (time.Time, error) { return start, nil }
			out, err := load.Run(t.Context(), f, part, by, load.Hooks{Ready: ready})
			if err != nil || !out.Start.Equal(start) {
				t.Errorf("agent %d: %v, begun at %v, want %v", i, err, out.Start, start)
			}
			mu.Lock()
			defer mu.Unlock()
			s.ledger.Add(out.Window)
			s.sizes = load.AddSizes(s.sizes, out.Sizes)
			for message, n := range by.all {
				s.all[message] += n
			}
		})
	}
	all.Wait()
	return s
}

func TestARunThatIsNotReadyDoesNotBegin(t *testing.T) {
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := load.Config{Schedule: schedule.Spec{Rate: 100, Duration: time.Second}, Size: 64}
	ready := func(context.Context) (time.Time, error) { return time.Time{}, context.Canceled }
	started := false
	_, err = load.Run(t.Context(), f, cfg, &sentBy{}, load.Hooks{Ready: ready, Started: func(time.Time) { started = true }})
	if err == nil || started {
		t.Errorf("%v, started: %v", err, started)
	}
	cfg.Part = schedule.Part{Index: 3, Of: 4}
	if _, err = load.Run(t.Context(), f, cfg, &sentBy{}, load.Hooks{}); err == nil {
		t.Error("a part without connections is run")
	}
}
