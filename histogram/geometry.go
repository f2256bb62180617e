package histogram

import (
	"iter"
	"math"
	"math/bits"
	"time"
)

// A geometry is how a histogram divides its range: values share a bucket if they
// agree in their first sub bits. It is HdrHistogram's.
type geometry struct {
	low, top int64 // the range as it was asked for, and as files have it
	digits   int   // significant ones
	sub      int   // log2 of the number of sub-buckets
	unit     int   // log2 of the smallest difference that is kept
}

// subBits is log2 of the sub-buckets needed for n significant digits: 2·10^n,
// rounded up to a power of two.
var subBits = [...]int{1, 5, 8, 11, 15, 18}

func newGeometry(low, top int64, digits int) geometry {
	return geometry{low: low, top: top, digits: digits, sub: subBits[digits], unit: bits.Len64(uint64(max(low, 1))) - 1}
}

// half is half the number of sub-buckets: each bucket but the first adds so many.
func (g geometry) half() int { return 1 << (g.sub - 1) }

// buckets returns how many counts the range takes.
func (g geometry) buckets() int {
	n := 1
	for top := int64(1) << (g.sub + g.unit); top <= g.top; top <<= 1 {
		n++
		if top > math.MaxInt64/2 {
			break
		}
	}
	return (n + 1) * g.half()
}

// index returns where the count of v's bucket is.
func (g geometry) index(v int64) int {
	shift := g.shift(v)
	return (shift-g.unit)<<(g.sub-1) + int(v>>shift)
}

// shift is log2 of the size of v's bucket.
func (g geometry) shift(v int64) int {
	return max(bits.Len64(uint64(v))-g.sub, g.unit)
}

// lowest returns the lowest value of v's bucket.
func (g geometry) lowest(v int64) int64 { return v >> g.shift(v) << g.shift(v) }

// highest returns the highest value of v's bucket.
func (g geometry) highest(v int64) int64 { return g.lowest(v) + (1<<g.shift(v) - 1) }

// median returns the value that stands for v's bucket in sums, as in Java.
func (g geometry) median(v int64) int64 { return g.lowest(v) + 1<<g.shift(v)>>1 }

// value returns the lowest value of the bucket at an index of the counts.
func (g geometry) value(index int) int64 {
	half := g.half()
	bucket, sub := index/half-1, index%half+half
	if bucket < 0 {
		bucket, sub = 0, sub-half
	}
	return int64(sub) << (bucket + g.unit)
}

// recorded yields the lowest value and the count of every bucket that holds
// values, in ascending order.
func (h *Histogram) recorded() iter.Seq2[int64, int64] {
	return func(yield func(v, count int64) bool) {
		for i, count := range h.touched() {
			if count != 0 && !yield(h.value(h.first+i), count) {
				return
			}
		}
	}
}

// Buckets yields every bucket that holds values, in ascending order: the highest
// value that belongs to it, and how many values it holds. The highest value stands
// for all of them, as in [Histogram.QuantileOf]; in the last bucket it may be above
// [Histogram.Max]. It identifies the bucket among histograms of one geometry. The
// histogram must not change meanwhile.
func (h *Histogram) Buckets() iter.Seq2[time.Duration, int64] {
	return func(yield func(highest time.Duration, count int64) bool) {
		for v, count := range h.recorded() {
			if !yield(time.Duration(h.highest(v)), count) {
				return
			}
		}
	}
}
