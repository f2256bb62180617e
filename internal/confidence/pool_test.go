package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// drawn returns a repeat of n log-normal values, all of them longer by a factor.
func drawn(rng *rand.Rand, n int, factor float64, missing int64) Repeat {
	h := histogram.New()
	for range n {
		h.Record(time.Duration(factor * 1e6 * math.Exp(0.3*rng.NormFloat64())))
	}
	return NewRepeat(h.Buckets(), missing, nil)
}

func pooled(seed uint64, missing int64, factors ...float64) *Pool {
	rng := rand.New(rand.NewPCG(seed, 3))
	var repeats []Repeat
	for _, f := range factors {
		repeats = append(repeats, drawn(rng, 10_000, f, missing))
	}
	return NewPool(repeats...)
}

func TestPoolIsTheMergedHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	merged := histogram.New()
	var repeats []Repeat
	for i := range 3 {
		h := histogram.New()
		for range 1000 {
			h.Record(time.Duration(float64(i+1) * 1e6 * math.Exp(rng.NormFloat64())))
		}
		if err := merged.Merge(h); err != nil {
			t.Fatal(err)
		}
		repeats = append(repeats, NewRepeat(h.Buckets(), 7, nil))
	}
	pool := NewPool(repeats...)
	for _, p := range []float64{50, 99, 99.3, 99.4, 99.9} {
		want, _, wantKnown := merged.QuantileOf(p, 3021)
		if got, _, known := pool.Value(p); known && min(got, merged.Max()) != want || known != wantKnown {
			t.Errorf("p%v: %v %v, want %v %v", p, got, known, want, wantKnown)
		}
	}
}

func TestPoolIntervalIsAsWideAsRepeatsDiffer(t *testing.T) {
	for _, c := range []struct {
		name        string
		factors     []float64
		least, most float64 // of high/low at p50
	}{
		{"equal", []float64{1, 1, 1, 1, 1}, 1, 1.02},
		{"two groups", []float64{1, 1.3, 1, 1.3, 1.3}, 1.3, 2},
		{"two", []float64{1, 1.3}, 2, 20},
	} {
		i, ok := pooled(1, 0, c.factors...).Interval(Level, 50)
		if ratio := float64(i.High) / float64(i.Low); !ok || ratio < c.least || ratio > c.most {
			t.Errorf("%s: %v to %v, a factor of %.3f; want %v to %v", c.name, i.Low, i.High, ratio, c.least, c.most)
		}
	}
}

// Two repeats that differ do not tell how much repeats differ.
func TestTwoRepeatsThatDifferAreWide(t *testing.T) {
	for _, c := range []struct {
		name    string
		factors []float64
		wide    bool
	}{
		{"two that differ", []float64{1, 1.3}, true},
		{"two that agree", []float64{1, 1}, false},
		{"five that differ", []float64{1, 1.3, 1, 1.3, 1.3}, false},
	} {
		if i, ok := pooled(1, 0, c.factors...).Interval(Level, 99); !ok || i.Wide != c.wide {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
}

// Two repeats of which each has its own pause agree by luck, but their seconds do not.
func TestPoolIsNotNarrowerThanItsRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	two := func(events float64) *Pool {
		h := histogram.New()
		for range 10_000 {
			h.Record(time.Duration(1e6 * math.Exp(0.3*rng.NormFloat64())))
		}
		r := NewRepeat(h.Buckets(), 0, func(float64) float64 { return events })
		return NewPool(r, r)
	}
	many, _ := two(100).Interval(Level, 99)
	few, _ := two(1).Interval(Level, 99)
	if !many.HighKnown || few.HighKnown {
		t.Errorf("100 events: %+v, one event: %+v; want an upper bound for the first alone", many, few)
	}
	if events, ok := two(30).Events(99); !ok || math.Abs(events-60) > 1 {
		t.Errorf("%.1f events, want those of both repeats", events)
	}
}

func TestPoolWithMissingMessages(t *testing.T) {
	if _, _, known := pooled(1, 200, 1, 1, 1).Value(99); known {
		t.Error("p99 is known although 2 % of the messages are missing")
	}
	p := pooled(1, 98, 1, 1, 1) // 0.97 % are missing
	i, ok := p.Interval(Level, 99)
	if _, _, known := p.Value(99); !ok || !known || !i.LowKnown || i.HighKnown {
		t.Errorf("%+v, want a value and a lower bound", i)
	}
	if _, ok := NewPool(drawn(rand.New(rand.NewPCG(1, 1)), 10, 1, 0), NewRepeat(histogram.New().Buckets(), 0, nil)).Interval(Level, 50); ok {
		t.Error("one repeat and an empty one have an interval")
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		name     string
		clusters []Cluster
		low, top float64 // at most, at least
	}{
		{"none", []Cluster{{0, 1000}, {0, 1000}, {0, 1000}}, 0, 3.6 / 3000},
		{"all in one", []Cluster{{30, 1000}, {0, 1000}, {0, 1000}}, 0.001, 0.05},
		{"the same in each", []Cluster{{10, 1000}, {10, 1000}, {10, 1000}}, 0.0068, 0.0142},
	} {
		if _, low, high := Share(Level, c.clusters...); low > c.low || high < c.top {
			t.Errorf("%s: %.5f to %.5f, want at most %v and at least %v", c.name, low, high, c.low, c.top)
		}
	}
}
