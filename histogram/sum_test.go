package histogram

import (
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// kind returns an empty histogram of a kind, as a log of another tool's has.
func kind(lowest, highest int64, digits int) *Histogram {
	return wrap(hdr.New(lowest, highest, digits))
}

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
		if err := s.Add(part); err != nil {
			t.Fatal(err)
		}
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
	for _, other := range []*Histogram{kind(1, int64(Highest), 2), kind(1000, int64(Highest), 3), kind(1, 1<<62, 5)} {
		var s Sum
		for range 3 {
			if err := s.Add(of(time.Millisecond)); err != nil {
				t.Fatal(err)
			}
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

// An interval without a value fits everywhere, and decides nothing.
func TestSumOfNothing(t *testing.T) {
	var s Sum
	for _, part := range []*Histogram{kind(1, int64(Highest), 2), New(), kind(1, int64(Highest), 2), of(time.Second), kind(1, int64(Highest), 2)} {
		if err := s.Add(part); err != nil {
			t.Fatal(err)
		}
	}
	if h := s.Histogram(); h.Count() != 1 || h.Quantile(50) != time.Second {
		t.Errorf("%d values, p50 %v", h.Count(), h.Quantile(50))
	}
}

// A sum keeps nothing of what it is given.
func TestSumSharesNothing(t *testing.T) {
	var s Sum
	h := of(time.Second)
	if err := s.Add(h); err != nil {
		t.Fatal(err)
	}
	h.Record(time.Second)
	if s.Histogram().Count() != 1 {
		t.Errorf("%d values, want 1", s.Histogram().Count())
	}
}
