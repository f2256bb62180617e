package confidence

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

func TestEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	independent, clustered, tied := new(Series), new(Series), new(Series)
	for range 400 {
		var mixed, low []time.Duration
		whole := time.Duration(1 + rng.IntN(2)*999)
		for range 50 {
			mixed = append(mixed, time.Duration(1+rng.IntN(2)*999))
			low = append(low, whole)
		}
		add(independent, mixed...)
		add(clustered, low...) // all 50 of an interval are the same: they say as much as one
	}
	for i := range 400 { // 95 % are 1000; what is below comes in whole intervals
		v := time.Duration(1000)
		if i%20 == rng.IntN(20) {
			v = 1
		}
		add(tied, repeat(v, 50)...)
	}
	for _, c := range []struct {
		name     string
		s        *Series
		v        time.Duration
		from, to float64
	}{
		{"independent", independent, 1, 1, 1.6},
		{"an interval is worth one value", clustered, 1, 40, 80},
		{"seen from the value above", clustered, 1000, 40, 80},
		{"ties", tied, 1000, 40, 80},
		{"below everything", clustered, 0, 1, 1},
	} {
		if got := c.s.effect(c.v, Level).widened; got < c.from || got > c.to {
			t.Errorf("%s: %.2f, want %v to %v", c.name, got, c.from, c.to)
		}
	}
}

func repeat(v time.Duration, n int) (values []time.Duration) {
	for range n {
		values = append(values, v)
	}
	return values
}

// TestADay adds more intervals than are kept.
func TestADay(t *testing.T) {
	var s Series
	h := histogram.New()
	const intervals = 4*maxIntervals + 3
	for i := range intervals {
		h.Reset()
		h.Record(time.Duration(1 + i%250))
		h.Record(2000)
		s.Add(h)
	}
	if got, want := len(s.intervals), intervals/8+1; got != want || s.span != 8 || s.last != 3 {
		t.Fatalf("%d intervals of %d, %d in the last; want %d of 8, 3 in the last", got, s.span, s.last, want)
	}
	total := int64(0)
	for i, d := range s.intervals {
		total += d.count()
		if i < len(s.intervals)-1 && d.count() != 16 {
			t.Fatalf("interval %d has %d values, want 16", i, d.count())
		}
	}
	if total != 2*intervals || s.sum().count() != total {
		t.Errorf("%d values, and %d in all; want %d", total, s.sum().count(), 2*intervals)
	}
	if got := s.intervals[1].upTo(2000) - s.intervals[1].upTo(1999); got != 8 {
		t.Errorf("%d of the second interval are 2000, want 8", got)
	}
	got, ok := s.Interval(25, 0)
	if !ok || !got.LowKnown || !got.HighKnown || got.Low > 125 || got.High < 125 {
		t.Errorf("p25 is %+v", got)
	}
}

// TestExpectedDay merges as intervals come, so that no Add pays for all of them.
func TestExpectedDay(t *testing.T) {
	var s Series
	s.Expect(86_400)
	const span = (86_400 + maxIntervals - 1) / maxIntervals
	h := histogram.New()
	h.Record(2000)
	for range 86_400 {
		s.Add(h)
		if s.span != span {
			t.Fatalf("an interval holds %d", s.span)
		}
	}
	if len(s.intervals) != (86_400+span-1)/span || s.sum().count() != 86_400 {
		t.Errorf("%d intervals of %d values", len(s.intervals), s.sum().count())
	}
}
