package measure

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester/load"
)

// never is a waiter for measuring the engine itself: it does not wait.
type never struct{}

func (never) Until(time.Duration) {}

// BenchmarkProgress measures one message of a cell (engine, recording, histograms)
// without progress, with progress as often as on a terminal, and more often. Run
// it with -benchtime 10000000x or more: reports are milliseconds apart.
func BenchmarkProgress(b *testing.B) {
	for _, every := range []time.Duration{-1, 0, 250 * ms, soonest} {
		name := fmt.Sprintf("every %v", cmp.Or(every, period))
		if every < 0 {
			name = "nobody"
		}
		b.Run(name, func(b *testing.B) {
			f, err := loopback.New(loopback.Config{})
			if err != nil {
				b.Fatal(err)
			}
			cell := cellOf(1_000_000_000, time.Duration(b.N))
			cell.Settings.Warmup = 0
			b.ReportAllocs()
			reports := 0
			o := Options{NewWaiter: func(time.Time) load.Waiter { return never{} }, ProgressEvery: every}
			if every >= 0 {
				o.Progress = func(Progress) { reports++ }
			}
			var before, after runtime.MemStats
			o.Started = func(start time.Time) {
				time.Sleep(time.Until(start))
				runtime.ReadMemStats(&before)
				b.ResetTimer()
			}
			c, err := Cell(b.Context(), f, cell, o)
			spent := b.Elapsed()
			runtime.ReadMemStats(&after)
			if err != nil || c.Ledger.Done != int64(b.N) {
				b.Fatalf("%+v, %v", c, err)
			}
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "allocs/op")
			b.ReportMetric(float64(spent)/float64(b.N), "ns/op")
			b.ReportMetric(float64(reports), "reports")
		})
	}
}

// BenchmarkStep measures what a step costs at 20,000/s, beside the measuring path:
// one of four a second, and the one that ends an interval and judges it.
func BenchmarkStep(b *testing.B) {
	for name, end := range map[string]bool{"between": false, "interval": true} {
		b.Run(name, func(b *testing.B) {
			in, err := openIntervals(Options{Progress: func(Progress) {}, ProgressEvery: 250 * ms}, cellOf(20_000, time.Minute))
			if err != nil {
				b.Fatal(err)
			}
			draw := rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for to := time.Second; b.Loop(); to += 250 * ms {
				b.StopTimer()
				for conn := range 5000 {
					d := time.Duration(math.Exp(draw.NormFloat64()) * float64(ms))
					samples := [3]histogram.Sample{{Series: record.Response, Value: d}, {Series: record.Service, Value: d}, {Series: record.Lag, Value: d / 100}}
					in.recording.recorder.Recorder.Record(conn, samples[:])
				}
				b.StartTimer()
				in.step(to, end)
			}
		})
	}
}
