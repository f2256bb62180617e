package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// add appends an interval of those values.
func add(s *Series, values ...time.Duration) {
	h := histogram.New()
	for _, v := range values {
		h.Record(v)
	}
	s.Add(h)
}

// shuffled returns a series of the values 1 ns … n ns in random order, in intervals of
// the same size. Up to 2047 ns each value has a bucket of its own.
func shuffled(n, intervals int, seed uint64) *Series {
	var s Series
	order := rand.New(rand.NewPCG(seed, 3)).Perm(n)
	for i := range intervals {
		var values []time.Duration
		for _, v := range order[i*n/intervals : (i+1)*n/intervals] {
			values = append(values, time.Duration(v+1))
		}
		add(&s, values...)
	}
	return &s
}

func TestNoInterval(t *testing.T) {
	full := shuffled(1000, 10, 1)
	var empty, short, nothing Series
	add(&short, 1, 2, 3)
	add(&short, 1, 2, 3)
	for range 10 {
		add(&nothing)
	}
	for _, c := range []struct {
		name string
		s    *Series
		p    float64
	}{
		{"zero value", &empty, 50},
		{"two intervals", &short, 50},
		{"ten empty intervals", &nothing, 50},
		{"minimum", full, 0},
		{"maximum", full, 100},
		{"below", full, -1},
		{"above", full, 101},
		{"NaN", full, math.NaN()},
	} {
		for _, missing := range []int64{-1, 0, 5} {
			if got, ok := c.s.Interval(c.p, missing); ok || got != (Interval{}) {
				t.Errorf("%s: p%v with %d missing: %+v, %v", c.name, c.p, missing, got, ok)
			}
		}
	}
}

func TestInterval(t *testing.T) {
	same, one := new(Series), new(Series)
	for range 30 {
		add(same, 1234567, 1234567, 1234567, 1234567)
	}
	add(one)
	add(one, 7)
	add(one)
	for _, c := range []struct {
		name    string
		s       *Series
		p       float64
		missing int64
		want    Interval
	}{
		{"all the same", same, 50, 0, Interval{Low: 1234567, High: 1234567, LowKnown: true, HighKnown: true}},
		{"all the same, too few above p99", same, 99, 0, Interval{Low: 1234567, LowKnown: true, Wide: true}},
		{"one value", one, 50, 0, Interval{Wide: true}},
		{"one value of many", one, 50, 1_000_000, Interval{Wide: true}},
		{"nearly all missing", same, 50, 10_000, Interval{Wide: true}},
		{"a negative number missing", same, 50, -10, Interval{Low: 1234567, High: 1234567, LowKnown: true, HighKnown: true}},
		// Of 240 the median is the last that is not missing.
		{"half missing", same, 50, 120, Interval{Low: 1234567, LowKnown: true, Wide: true}},
		// The median is missing; its lower bound is not.
		{"a little more missing", same, 50, 124, Interval{Low: 1234567, LowKnown: true, Wide: true}},
	} {
		if got, ok := c.s.Interval(c.p, c.missing); got != c.want || !ok {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, ok, c.want)
		}
	}
}

// TestIntervalOfIndependentValues expects the ranks of order statistics, or a little
// more.
func TestIntervalOfIndependentValues(t *testing.T) {
	for seed := range uint64(20) {
		got, _ := shuffled(2000, 40, seed).Interval(50, 0)
		l, u := ranks(2000, 0.5, Level)
		if !got.LowKnown || !got.HighKnown || got.Low > time.Duration(l) || got.Low < 900 || got.High < time.Duration(u) || got.High > 1100 {
			t.Errorf("seed %d: %+v; order statistics: %d to %d", seed, got, l, u)
		}
	}
}

// TestIntervalHoldsThePercentile compares with the histogram's own percentile,
// with and without missing ops.
func TestIntervalHoldsThePercentile(t *testing.T) {
	all, s := histogram.New(), new(Series)
	rng := rand.New(rand.NewPCG(4, 4))
	for second := range 50 {
		h := histogram.New()
		for range rng.IntN(300) {
			h.Record(time.Duration(math.Exp(rng.NormFloat64()+float64(second%7)) * 1e6))
		}
		s.Add(h)
		if err := all.Merge(h); err != nil {
			t.Fatal(err)
		}
	}
	for _, missing := range []int64{0, 1, 30, 1000} {
		for p := 0.5; p < 100; p += 0.5 {
			v, _, known := all.QuantileOf(p, all.Count()+missing)
			i, ok := s.Interval(p, missing)
			if !ok || known && i.LowKnown && i.Low > v || i.HighKnown && (!known || i.High < v) || i.High > all.Max() {
				t.Errorf("p%v with %d missing is %v, known %v; its interval is %+v", p, missing, v, known, i)
			}
		}
	}
}

// TestMissingOnesRankAbove removes the highest values and calls them missing: bounds
// that are known stay the same.
func TestMissingOnesRankAbove(t *testing.T) {
	whole, cut := new(Series), new(Series)
	rng := rand.New(rand.NewPCG(5, 5))
	missing := int64(0)
	for range 50 {
		var values, answered []time.Duration
		for range 40 {
			v := time.Duration(1 + rng.IntN(2000))
			values = append(values, v)
			if v <= 1900 {
				answered = append(answered, v)
			}
		}
		missing += int64(len(values) - len(answered))
		add(whole, values...)
		add(cut, answered...)
	}
	want, _ := whole.Interval(80, 0)
	got, _ := cut.Interval(80, missing)
	if !got.HighKnown || !got.LowKnown || math.Abs(float64(got.Low-want.Low)) > 10 || math.Abs(float64(got.High-want.High)) > 10 {
		t.Errorf("%d missing: %+v, want about %+v", missing, got, want)
	}
	if got, ok := cut.Interval(94, missing); !ok || got.HighKnown || !got.LowKnown || got.Low > 1900 {
		t.Errorf("p94 with 5 %% missing: %+v", got)
	}
	if got, ok := cut.Interval(99, missing); !ok || got.HighKnown || got.LowKnown {
		t.Errorf("p99 with 5 %% missing: %+v", got)
	}
}

// TestIntervalAtHigherLevels expects each interval to hold those of lower levels, or
// to lose a bound.
func TestIntervalAtHigherLevels(t *testing.T) {
	s := shuffled(2000, 40, 1)
	for _, p := range []float64{50, 99} {
		inner, _ := s.IntervalAt(0.5, p, 0)
		if usual, _ := s.Interval(p, 0); usual == inner {
			t.Errorf("p%v: %+v at 0.5 and at 0.95", p, usual)
		}
		for _, level := range []float64{0.9, 0.95, 0.99, 0.9999, 1 - 1e-9} {
			i, ok := s.IntervalAt(level, p, 0)
			if !ok || i.LowKnown && i.Low > inner.Low || i.HighKnown && (!inner.HighKnown || i.High < inner.High) {
				t.Errorf("p%v at %v: %+v, %v; the one before is %+v", p, level, i, ok, inner)
			}
			inner = i
		}
		if p == 99 && inner.HighKnown {
			t.Errorf("p99 of 2000 at 1−1e-9 is bounded: %+v", inner)
		}
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if i, ok := s.IntervalAt(level, 50, 0); ok || i != (Interval{}) {
			t.Errorf("level %v: %+v, %v", level, i, ok)
		}
	}
}
