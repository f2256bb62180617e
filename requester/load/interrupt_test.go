package load_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A run may be interrupted at any moment: before the first op is due, just before a
// burst while the sender waits for it, in the middle of one. The ledger adds up.
func TestAnInterruptionAtAnyMomentKeepsTheLedger(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(100), schedule.Burst(7)} {
		for _, connections := range []int{1, 3} {
			for _, at := range []time.Duration{-10 * ms, 0, ms, 95 * ms, 99*ms + 900*time.Microsecond, 100 * ms, 140 * ms, 190 * ms, 333 * ms} {
				synctest.Test(t, func(t *testing.T) {
					f, err := loopback.New(loopback.Config{Delay: ms})
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					cfg := load.Config{
						Schedule: schedule.Spec{Arrivals: arrivals, Rate: 1000, Duration: time.Second, Seed: 3}, Warmup: 50 * ms,
						Size: requester.StampSize, Connections: connections, NewWaiter: unlocked,
					}
					hooks := load.Hooks{Started: func(start time.Time) { time.AfterFunc(time.Until(start.Add(at)), cancel) }}
					outcome, err := load.Run(ctx, f, cfg, &keeper{}, hooks)
					if err != nil || !outcome.Interrupted {
						t.Errorf("%s over %d connections, interrupted at %v: %+v, %v", arrivals, connections, at, outcome.Window, err)
					}
				})
			}
		}
	}
}
