package histogram

import (
	"iter"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// A geometry is how a histogram divides its range: values share a bucket if they
// agree in their first sub bits. The file formats need it, and the library does
// not export it.
type geometry struct {
	sub  int // log2 of the number of sub-buckets
	unit int // log2 of the smallest difference that is kept
}

// subBits is log2 of the sub-buckets needed for n significant digits: 2·10^n,
// rounded up to a power of two.
var subBits = [...]int{1, 5, 8, 11, 15, 18}

func geometryOf(h *hdr.Histogram) geometry {
	return geometry{
		sub:  subBits[h.SignificantFigures()],
		unit: bits.Len64(uint64(max(h.LowestTrackableValue(), 1))) - 1,
	}
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
	half := 1 << (g.sub - 1)
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
		g := geometryOf(&h.hdr)
		for i, count := range h.hdr.Export().Counts {
			if count != 0 && !yield(g.value(i), count) {
				return
			}
		}
	}
}
