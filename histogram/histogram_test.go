package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// ok ends the test if err is not nil.
func ok(tb testing.TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}

// kind returns an empty histogram of a range and precision, as another tool's log
// may have it.
func kind(lowest, highest time.Duration, digits int) *Histogram {
	return wrap(hdr.New(int64(lowest), int64(highest), digits))
}

// of returns a histogram of the values.
func of(values ...time.Duration) *Histogram {
	h := New()
	for _, v := range values {
		h.Record(v)
	}
	return h
}

// random returns a histogram of n values between 1 ns and some seconds.
func random(seed uint64, n int) *Histogram {
	h := New()
	record(h, seed, n)
	return h
}

// record adds the values of random to h.
func record(h *Histogram, seed uint64, n int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		h.Record(time.Duration(math.Exp(rng.Float64()*22) + 1))
	}
}

// same fails the test unless both hold the same counts.
func same(t *testing.T, got, want *Histogram) {
	t.Helper()
	if !slices.Equal(got.counts, want.counts) || got.count != want.count {
		t.Errorf("the counts differ: %d values from %v to %v, want %d from %v to %v",
			got.Count(), got.Min(), got.Max(), want.Count(), want.Min(), want.Max())
	}
}

func TestEmpty(t *testing.T) {
	h := New()
	if h.Count() != 0 || h.Min() != 0 || h.Max() != 0 || h.Mean() != 0 || h.Clamped() != 0 {
		t.Errorf("an empty histogram has %d %v %v %v %d", h.Count(), h.Min(), h.Max(), h.Mean(), h.Clamped())
	}
}

func TestMinAndMaxAreExact(t *testing.T) {
	h := of(1_234_567, 98_765_432_101, 2_000_001)
	if h.Min() != 1_234_567 || h.Max() != 98_765_432_101 {
		t.Errorf("from %d to %d", h.Min(), h.Max())
	}
	if got, want := h.Mean(), (1_234_567+98_765_432_101+2_000_001)/3*time.Nanosecond; (got - want).Abs() > want/1000 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

func TestStdDev(t *testing.T) {
	h := of(2*time.Millisecond, 4*time.Millisecond, 4*time.Millisecond, 4*time.Millisecond,
		5*time.Millisecond, 5*time.Millisecond, 7*time.Millisecond, 9*time.Millisecond)
	if _, got := h.Moments(); (got - 2*time.Millisecond).Abs() > 5*time.Microsecond {
		t.Errorf("%v, want 2ms", got)
	}
	inner := library(t, h)
	if got, want := h.Mean(), time.Duration(math.Round(inner.Mean())); got != want {
		t.Errorf("mean %v, the library says %v", got, want)
	}
}

func TestRecordOutsideTheRange(t *testing.T) {
	h := of(time.Hour, time.Hour+1, 3*time.Hour, math.MaxInt64, -1, math.MinInt64, 0)
	if h.Count() != 7 || h.Clamped() != 5 {
		t.Errorf("%d values, %d clamped, want 7 and 5", h.Count(), h.Clamped())
	}
	if h.Min() != 0 || h.Max() != time.Hour {
		t.Errorf("from %v to %v", h.Min(), h.Max())
	}
	if p50 := h.Quantile(50); p50 != time.Hour {
		t.Errorf("p50 is %v: a clamped value must rank at the top", p50)
	}
}

func TestMerge(t *testing.T) {
	a, b, all := random(1, 5000), random(2, 7000), random(1, 5000)
	record(all, 2, 7000)
	b.Record(2 * time.Hour)
	all.Record(2 * time.Hour)
	ok(t, a.Merge(b))
	same(t, a, all)
	if a.Min() != all.Min() || a.Max() != all.Max() || a.Clamped() != 1 || b.Count() != 7001 {
		t.Errorf("%v %v %d %d", a.Min(), a.Max(), a.Clamped(), b.Count())
	}
	if err := a.Merge(New()); err != nil || a.Min() != all.Min() {
		t.Errorf("merging nothing: %v, min %v", err, a.Min())
	}
}

func TestMergeRefusesWhatItCannotHold(t *testing.T) {
	full := of(1)
	full.add(1, math.MaxInt64-1)
	wide, coarse := kind(1, 3*Highest, 3), kind(1, Highest, 2)
	wide.Record(2 * time.Hour)
	coarse.Record(time.Second)
	for _, c := range []struct {
		name  string
		other *Histogram
		into  *Histogram
		want  string
	}{
		{"digits", coarse, of(5), "merging values of 2 digits from 1ns into 3 digits from 1ns: the buckets differ"},
		{"range", wide, of(5), "merging values up to 2h0m0s into a histogram up to 1h0m0s"},
		{"count", of(7), full, "more values than can be counted"},
	} {
		before := c.into.Clone()
		err := c.into.Merge(c.other)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		same(t, c.into, before)
	}
	wide.Reset()
	wide.Record(time.Minute)
	if err := of(5).Merge(wide); err != nil {
		t.Errorf("values that fit, from a histogram of a wider range: %v", err)
	}
}

func TestResetAndClone(t *testing.T) {
	h := of(5, 2*time.Hour)
	c := h.Clone()
	h.Reset()
	if h.Count() != 0 || h.Min() != 0 || h.Max() != 0 || h.Clamped() != 0 {
		t.Errorf("after Reset: %d %v %v %d", h.Count(), h.Min(), h.Max(), h.Clamped())
	}
	same(t, h, New())
	if c.Count() != 2 || c.Min() != 5 || c.Max() != time.Hour || c.Clamped() != 1 {
		t.Errorf("the clone: %d %v %v %d", c.Count(), c.Min(), c.Max(), c.Clamped())
	}
	h.Record(9)
	if h.Min() != 9 {
		t.Errorf("min %d after Reset and Record(9)", h.Min())
	}
}

// TestCorrected compares with the library, which corrects each value as it records
// it. The values are the highest of their buckets, so storing them loses nothing.
func TestCorrected(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, interval := range []time.Duration{1, 333, 50 * time.Microsecond, time.Millisecond, time.Second, time.Hour, 0, -1} {
		h, want := New(), hdr.New(int64(Lowest), int64(Highest), Digits)
		for range 50 {
			v := h.highest(rng.Int64N(int64(min(max(interval, 1)*5000, Highest))))
			h.Record(time.Duration(v))
			ok(t, want.RecordCorrectedValue(v, int64(interval)))
		}
		got := h.Corrected(interval)
		same(t, got, wrap(want))
		if got.Max() != h.Max() || got.Min() > h.Min() || got.Count() < h.Count() {
			t.Errorf("%v: %d values from %v to %v", interval, got.Count(), got.Min(), got.Max())
		}
		if h.Count() != 50 {
			t.Errorf("the histogram itself changed")
		}
	}
}

// TestCorrectedBelowTheUnit corrects by less than a histogram can distinguish.
func TestCorrectedBelowTheUnit(t *testing.T) {
	h, want := kind(1000, Highest, 2), hdr.New(1000, int64(Highest), 2)
	v := h.highest(12_345)
	h.Record(time.Duration(v))
	ok(t, want.RecordCorrectedValue(v, 3))
	same(t, h.Corrected(3), wrap(want))
}

func TestCorrectedStall(t *testing.T) {
	h := New() // 1 ms, one at a time; then one waits 100 ms
	for range 899 {
		h.Record(time.Millisecond)
	}
	h.Record(100 * time.Millisecond)
	c := h.Corrected(time.Millisecond)
	if c.Count() != 899+100 {
		t.Errorf("%d values, want 999", c.Count())
	}
	if p95 := c.Quantile(95); (p95 - 51*time.Millisecond).Abs() > 100*time.Microsecond {
		t.Errorf("p95 is %v, want 51ms", p95)
	}
}

func TestCorrectedHourAtNanosecond(t *testing.T) {
	if c := of(time.Hour).Corrected(1); c.Count() < int64(time.Hour) || c.Clamped() != 0 {
		t.Errorf("%d values, %d clamped", c.Count(), c.Clamped())
	}
}

func TestRecordAllocatesNothing(t *testing.T) {
	h := New()
	if n := testing.AllocsPerRun(1000, func() { h.Record(123456); h.Record(2 * time.Hour) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	b.ReportAllocs()
	h, v := New(), time.Duration(0)
	for b.Loop() {
		h.Record(100*time.Microsecond + v&0xfffff)
		v += 997
	}
}

func BenchmarkMerge(b *testing.B) {
	b.ReportAllocs()
	h, other := New(), random(1, 20000)
	for b.Loop() {
		ok(b, h.Merge(other))
	}
}

func BenchmarkCorrected(b *testing.B) {
	b.ReportAllocs()
	h := random(1, 20000)
	for b.Loop() {
		h.Corrected(50 * time.Microsecond)
	}
}
