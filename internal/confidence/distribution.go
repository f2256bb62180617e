package confidence

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// A distribution counts values by bucket, in ascending order. It has only the buckets
// that hold values: a second of latencies fills some hundreds of a histogram's
// 24,000. The nil distribution holds nothing.
type distribution []step

// A step says that upTo values are at most v.
type step struct {
	v    time.Duration // the highest of its bucket
	upTo int64
}

// appendDistribution appends the distribution of h's values to d, which is empty.
func appendDistribution(d distribution, h *histogram.Histogram) distribution {
	for v, count := range h.Buckets() {
		d = append(d, step{v, d.count() + count})
	}
	return d
}

// distributionOf returns the distribution of h's values. Its last step ends at the highest.
func distributionOf(h *histogram.Histogram) distribution {
	d := appendDistribution(nil, h)
	if len(d) > 0 {
		d[len(d)-1].v = min(d[len(d)-1].v, h.Max())
	}
	return d
}

// coarser merges steps whose ends agree in the first fine significant bits, in place.
// 0 bits means all. An end is the highest value of a bucket, so the one that follows
// it is rounded up: steps never split, whatever they were before.
func (d distribution) coarser(fine int) distribution {
	if fine == 0 {
		return d
	}
	kept := d[:0]
	for _, s := range d {
		s.v = coarse(s.v, fine)
		if n := len(kept); n > 0 && kept[n-1].v == s.v {
			kept = kept[:n-1]
		}
		kept = append(kept, s)
	}
	return kept
}

// coarse returns the end of the step that v is in.
func coarse(v time.Duration, fine int) time.Duration {
	end := uint64(v) + 1
	shift := max(bits.Len64(end)-fine, 0)
	return time.Duration((end+1<<shift-1)>>shift<<shift - 1)
}

// count returns the number of values.
func (d distribution) count() int64 {
	if len(d) == 0 {
		return 0
	}
	return d[len(d)-1].upTo
}

// upTo returns how many values are at most v.
func (d distribution) upTo(v time.Duration) int64 {
	i, found := slices.BinarySearchFunc(d, v, func(s step, v time.Duration) int { return cmp.Compare(s.v, v) })
	switch {
	case found:
		return d[i].upTo
	case i == 0:
		return 0
	}
	return d[i-1].upTo
}

// at returns the value of rank 1 ≤ rank ≤ count().
func (d distribution) at(rank int64) time.Duration {
	i, _ := slices.BinarySearchFunc(d, rank, func(s step, rank int64) int { return cmp.Compare(s.upTo, rank) })
	return d[i].v
}

// merge appends the distribution of the values of both to sum, and changes neither.
func merge(sum, a, b distribution) distribution {
	for i, j := 0, 0; i < len(a) || j < len(b); {
		// Whichever is lower goes on; on a tie both do.
		onA := j == len(b) || i < len(a) && a[i].v <= b[j].v
		onB := i == len(a) || j < len(b) && b[j].v <= a[i].v
		var v time.Duration
		if onA {
			v, i = a[i].v, i+1
		}
		if onB {
			v, j = b[j].v, j+1
		}
		sum = append(sum, step{v, a[:i].count() + b[:j].count()})
	}
	return sum
}
