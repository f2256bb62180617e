package histogram

import (
	"strings"
	"testing"
	"time"
)

func TestSumWidens(t *testing.T) {
	var s Sum
	if s.Histogram() != nil {
		t.Error("an empty sum has a histogram")
	}
	want := New()
	for i, part := range []*Histogram{kind(1, 1000_000, 3), New(), kind(1, 1000_000_000, 3), kind(1, 1000_000, 3)} {
		for v := range 50 {
			part.Record(time.Duration(1000 * (v + i)))
			want.Record(time.Duration(1000 * (v + i)))
		}
		ok(t, s.Add(part))
	}
	got := s.Histogram()
	if got.Count() != 200 || got.Max() != want.Max() || got.Min() != want.Min() {
		t.Errorf("%d values from %v to %v, want %d from %v to %v", got.Count(), got.Min(), got.Max(), want.Count(), want.Min(), want.Max())
	}
	for _, p := range []float64{0, 1, 50, 99, 100} {
		if got.Quantile(p) != want.Quantile(p) {
			t.Errorf("p%v is %v, want %v", p, got.Quantile(p), want.Quantile(p))
		}
	}
}

func TestSumRefusesAnotherPrecision(t *testing.T) {
	for _, other := range []*Histogram{kind(1, Highest, 2), kind(1000, Highest, 3), kind(1, 1<<62, 5)} {
		var s Sum
		for range 3 {
			ok(t, s.Add(of(time.Millisecond)))
		}
		other.Record(time.Second)
		if err := s.Add(other); err == nil || !strings.Contains(err.Error(), "the buckets differ") {
			t.Errorf("error %v", err)
		}
		if s.Histogram().Count() != 3 {
			t.Errorf("%d values after the refusal", s.Histogram().Count())
		}
	}
}

// TestSumOfNothing adds empty histograms: they fit everywhere and decide nothing.
func TestSumOfNothing(t *testing.T) {
	var s Sum
	for _, part := range []*Histogram{kind(1, Highest, 2), New(), kind(1, Highest, 2), of(time.Second), kind(1, Highest, 2)} {
		ok(t, s.Add(part))
	}
	if h := s.Histogram(); h.Count() != 1 || h.Quantile(50) != time.Second {
		t.Errorf("%d values, p50 %v", h.Count(), h.Quantile(50))
	}
}

// TestSumSharesNothing changes a histogram after it was added.
func TestSumSharesNothing(t *testing.T) {
	var s Sum
	h := of(time.Second)
	ok(t, s.Add(h))
	h.Record(time.Second)
	if s.Histogram().Count() != 1 {
		t.Errorf("%d values, want 1", s.Histogram().Count())
	}
}
