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
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/loopback"
)

// never is a waiter for measuring the engine itself: it does not wait.
type never struct{}

func (never) Until(time.Duration) {}

// BenchmarkWatching measures an op of a cell, engine and recording and histograms,
// with nobody watching, and with looks as on a terminal and closer. Run it with
// -benchtime 10000000x or more: a look comes only every so many milliseconds.
func BenchmarkWatching(b *testing.B) {
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
			looks := 0
			o := Options{newWaiter: func(time.Time) load.Waiter { return never{} }, WatchEvery: every}
			if every >= 0 {
				o.Watch = func(Progress) { looks++ }
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
			b.ReportMetric(float64(looks), "looks")
		})
	}
}

// BenchmarkLook is what a look costs at 20,000/s, beside the measuring path: one
// of four a second, and the one that ends an interval and judges it.
func BenchmarkLook(b *testing.B) {
	for name, end := range map[string]bool{"between": false, "interval": true} {
		b.Run(name, func(b *testing.B) {
			in, err := newIntervals(Options{Watch: func(Progress) {}, WatchEvery: 250 * ms}, cellOf(20_000, time.Minute), surroundings{})
			if err != nil {
				b.Fatal(err)
			}
			draw := rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for to := time.Second; b.Loop(); to += 250 * ms {
				b.StopTimer()
				for conn := range 5000 {
					d := time.Duration(math.Exp(draw.NormFloat64()) * float64(ms))
					samples := [3]histogram.Sample{{Series: response, Value: d}, {Series: service, Value: d}, {Series: lag, Value: d / 100}}
					in.recorder.Recorder.Record(conn, samples[:])
				}
				b.StartTimer()
				in.look(to, end)
			}
		})
	}
}
