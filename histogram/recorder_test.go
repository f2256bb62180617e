package histogram

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func histograms(n int) []*Histogram {
	all := make([]*Histogram, n)
	for i := range all {
		all[i] = New()
	}
	return all
}

func TestRecorder(t *testing.T) {
	r := NewRecorder(3, 2)
	r.Record(0, []Sample{{0, 10}, {2, 30}})
	r.Record(7, []Sample{{0, 11}})
	r.Record(-1, []Sample{{2, 2 * time.Hour}})
	r.Record(1, nil)
	into := histograms(3)
	r.Swap(into)
	same(t, into[0], of(10, 11))
	same(t, into[1], New())
	same(t, into[2], of(30, time.Hour))
	if into[0].Max() != 11 || into[2].Clamped() != 1 {
		t.Errorf("max %v, clamped %d", into[0].Max(), into[2].Clamped())
	}
	r.Record(0, []Sample{{0, 12}})
	r.Swap(into)
	same(t, into[0], of(10, 11, 12)) // added
	next := histograms(3)
	r.Swap(next)
	for i := range next {
		same(t, next[i], New())
	}
}

func TestRecorderOfNothing(t *testing.T) {
	r := NewRecorder(0, 0)
	r.Record(3, []Sample{{0, 1}})
	into := histograms(1)
	r.Swap(into)
	same(t, into[0], of(1))
}

// TestRecorderLosesNothing records from many goroutines while it takes intervals:
// every sample is in exactly one of them, and those of one Record are in the same.
func TestRecorderLosesNothing(t *testing.T) {
	const goroutines, each = 8, 5000
	r, totals := NewRecorder(2, 3), histograms(2)
	done := make(chan struct{})
	var recording sync.WaitGroup
	for g := range goroutines {
		recording.Go(func() {
			for i := range each {
				v := time.Duration(g*each + i)
				r.Record(g, []Sample{{0, v}, {1, v + 1}})
			}
		})
	}
	go func() { recording.Wait(); close(done) }()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		taken := histograms(2)
		r.Swap(taken)
		if taken[0].Count() != taken[1].Count() {
			t.Fatalf("an interval has %d and %d of what was recorded together", taken[0].Count(), taken[1].Count())
		}
		for i := range totals {
			ok(t, totals[i].Merge(taken[i]))
		}
	}
	want := histograms(2)
	for v := range goroutines * each {
		want[0].Record(time.Duration(v))
		want[1].Record(time.Duration(v + 1))
	}
	for i := range want {
		same(t, totals[i], want[i])
	}
}

func TestSwapPanicsForMistakes(t *testing.T) {
	for name, into := range map[string][]*Histogram{"too many": histograms(2), "too coarse": {kind(1, Highest, 2)}} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			r := NewRecorder(1, 1)
			r.Record(0, []Sample{{0, 1}})
			r.Swap(into)
		})
	}
}

func TestRecorderAllocatesNothing(t *testing.T) {
	r, samples := NewRecorder(3, 4), []Sample{{0, 1e6}, {1, 2e6}, {2, 3e6}}
	if n := testing.AllocsPerRun(1000, func() { r.Record(6, samples) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecorder(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		r, v := NewRecorder(3, 4), time.Duration(0)
		for b.Loop() {
			samples := [3]Sample{{0, v}, {1, v + 100}, {2, v + 200}}
			r.Record(1, samples[:])
			v = (v + 997) & 0xfffff
		}
	})
	for _, goroutines := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("%d goroutines", goroutines), func(b *testing.B) {
			b.ReportAllocs()
			r := NewRecorder(3, max(goroutines, 4))
			var all sync.WaitGroup
			for mine := range goroutines {
				all.Go(func() {
					v := time.Duration(mine)
					for range b.N / goroutines {
						samples := [3]Sample{{0, v}, {1, v + 100}, {2, v + 200}}
						r.Record(mine, samples[:])
						v = (v + 997) & 0xfffff
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

func BenchmarkSwap(b *testing.B) {
	b.ReportAllocs()
	r, into := NewRecorder(3, 4), histograms(3)
	for b.Loop() {
		for shard := range 4 {
			r.Record(shard, []Sample{{0, 1e6}, {1, 2e6}, {2, 3e6}})
		}
		r.Swap(into)
	}
}
