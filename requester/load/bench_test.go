package load_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/loopback"
)

// never is a waiter for measuring the engine itself: it does not wait.
type never struct{}

func (never) Until(time.Duration) {}

// BenchmarkOp measures one op on a loopback: the schedule, the merge over the
// connections, the content of 256 B written and compared, the ring, the reply.
func BenchmarkOp(b *testing.B) {
	for name, connections := range map[string]int{"1 connection": 1, "25 connections": 25} {
		b.Run(name, func(b *testing.B) {
			f := system(b, loopback.Config{})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			cfg := load.Config{
				Schedule:    constant(1_000_000_000, time.Duration(b.N)),
				Size:        256,
				Connections: connections,
				NewWaiter:   func(time.Time) load.Waiter { return never{} },
			}
			hooks := load.Hooks{Started: func(start time.Time) { time.Sleep(time.Until(start)); b.ResetTimer() }}
			outcome, err := load.Run(b.Context(), f, cfg, discard{}, hooks)
			spent := b.Elapsed()
			runtime.ReadMemStats(&after)
			if err != nil || outcome.Window.Done != int64(b.N) {
				b.Fatalf("%+v, %v", outcome.Window, err)
			}
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "allocs/op")
			b.ReportMetric(float64(spent)/float64(b.N), "ns/op")
		})
	}
}
