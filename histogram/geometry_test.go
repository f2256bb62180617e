package histogram

import (
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// TestGeometry compares our geometry with the library's buckets.
func TestGeometry(t *testing.T) {
	for _, c := range []struct {
		lowest, highest int64
		digits          int
	}{{1, int64(Highest), 3}, {1, int64(Highest), 1}, {1, 1 << 40, 5}, {1000, int64(Highest), 2}, {64, 1 << 30, 4}} {
		h := hdr.New(c.lowest, c.highest, c.digits)
		g := newGeometry(c.lowest, c.highest, c.digits)
		if n := len(h.Export().Counts); g.buckets() != n {
			t.Errorf("%+v: %d buckets, want %d", c, g.buckets(), n)
		}
		for v := int64(1); v < c.highest; v += v/97 + 1 {
			low, high := g.lowest(v), g.highest(v)
			if low > v || high < v || !h.ValuesAreEquivalent(low, v) || !h.ValuesAreEquivalent(high, v) {
				t.Fatalf("%+v: %d is not in the bucket from %d to %d", c, v, low, high)
			}
			if h.ValuesAreEquivalent(high+1, v) || low > 0 && h.ValuesAreEquivalent(low-1, v) {
				t.Fatalf("%+v: the bucket of %d is wider than from %d to %d", c, v, low, high)
			}
			if mid := g.median(v); mid < low || mid > high {
				t.Fatalf("%+v: median %d is not between %d and %d", c, mid, low, high)
			}
		}
	}
}

func TestGeometryIndex(t *testing.T) {
	h := hdr.New(int64(Lowest), int64(Highest), Digits)
	g := newGeometry(int64(Lowest), int64(Highest), Digits)
	for i := range h.Export().Counts {
		v := g.value(i)
		if g.index(v) != i || g.index(g.highest(v)) != i {
			t.Fatalf("index %d: %d has the index %d", i, v, g.index(v))
		}
		if g.lowest(v) != v {
			t.Fatalf("index %d: %d is not the lowest of its bucket", i, v)
		}
		if i > 0 && g.highest(g.value(i-1))+1 != v {
			t.Fatalf("index %d begins at %d, and the one before ends at %d", i, v, g.highest(g.value(i-1)))
		}
	}
}

func TestRecordedYieldsEveryBucket(t *testing.T) {
	h := New()
	want := map[int64]int64{}
	g := h.geometry
	for v := int64(1); v < int64(Highest); v += v/11 + 1 {
		h.Record(time.Duration(v))
		want[g.lowest(v)]++
	}
	last := int64(-1)
	for v, count := range h.recorded() {
		if v <= last || want[v] != count {
			t.Fatalf("%d after %d: count %d, want %d", v, last, count, want[v])
		}
		last = v
		delete(want, v)
	}
	if len(want) > 0 {
		t.Errorf("not yielded: %v", want)
	}
}
