package load_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A list keeps what several goroutines add, in the order in which they do.
type list[T any] struct {
	mu  sync.Mutex
	all []T
}

func (l *list[T]) add(one T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, one)
}

// keeper keeps every op, so that quantiles are exact.
type keeper struct{ ops list[load.Op] }

func (k *keeper) Record(op load.Op) { k.ops.add(op) }

// discard is a recorder that forgets.
type discard struct{}

func (discard) Record(load.Op) {}

// sorted returns one time of each op of the window, in order.
func (k *keeper) sorted(of func(load.Op) time.Duration) []time.Duration {
	var times []time.Duration
	for _, op := range k.ops.all {
		if !op.Warmup {
			times = append(times, of(op))
		}
	}
	slices.Sort(times)
	return times
}

// quantile returns the smallest time that at least p percent of them do not
// exceed.
func quantile(sorted []time.Duration, p float64) time.Duration {
	rank := int(math.Ceil(p/100*float64(len(sorted)) - 1e-9))
	return sorted[max(rank, 1)-1]
}

func mean(times []time.Duration) time.Duration {
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return sum / time.Duration(len(times))
}

// virtual runs cfg against f in virtual time.
func virtual(t *testing.T, f requester.Factory, cfg load.Config) (load.Outcome, *keeper) {
	t.Helper()
	k := &keeper{}
	return virtually(t, f, cfg, k), k
}

// virtually runs cfg against f in virtual time, with a recorder of the caller's.
func virtually(t *testing.T, f requester.Factory, cfg load.Config, rec load.Recorder) (outcome load.Outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if cfg.NewWaiter == nil {
			cfg.NewWaiter = unlocked
		}
		if cfg.Size == 0 {
			cfg.Size = requester.StampSize
		}
		var err error
		if outcome, err = load.Run(t.Context(), f, cfg, rec, load.Hooks{}); err != nil {
			t.Fatal(err)
		}
	})
	return outcome
}

// unlocked waits in virtual time. It gives up the thread that its sender has
// locked, which nothing needs here and which costs two switches an op.
func unlocked(start time.Time) load.Waiter {
	runtime.UnlockOSThread()
	return load.SleepWaiter(start)
}

// system returns a loopback.
func system(tb testing.TB, cfg loopback.Config) requester.Factory {
	tb.Helper()
	f, err := loopback.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func constant(rate schedule.Rate, d time.Duration) schedule.Spec {
	return schedule.Spec{Rate: rate, Duration: d}
}

// sleeper is a synchronous system that takes a fixed time for each request.
func sleeper(service time.Duration) requester.Factory {
	return requester.Blocking(func(ctx context.Context, payload []byte) ([]byte, error) {
		select {
		case <-time.After(service):
			return payload, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

func wantTime(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func wantLedger(t *testing.T, got, want load.Ledger) {
	t.Helper()
	if got != want {
		t.Errorf("ledger %+v, want %+v", got, want)
	}
}
