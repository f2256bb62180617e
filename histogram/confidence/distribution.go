package confidence

import (
	"cmp"
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

// distributionOf returns the distribution of h's values. It overwrites scratch and
// returns it for the next call.
func distributionOf(h *histogram.Histogram, scratch distribution) (d, again distribution) {
	scratch = scratch[:0]
	seen := int64(0)
	for v, count := range h.Buckets() {
		seen += count
		scratch = append(scratch, step{v, seen})
	}
	return slices.Clone(scratch), scratch
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

// merge appends the distribution of the values of both to sum, and leaves both
// as they are.
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
