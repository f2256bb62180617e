package histogram

import (
	"math"
	"time"
)

// BucketWidth is the largest width of a bucket of New's histograms, as a logarithm: what
// is closer together was not measured as different.
const BucketWidth = 1. / (1 << 10)

// MinAbove is how many samples must rank above a percentile to make it trustworthy.
// With fewer, it depends on a few samples and the next run may give anything, so it
// must be marked wherever it is shown.
const MinAbove = 10

// QuantileOf returns the p-th percentile (0 to 100) of total samples. Those that h
// does not hold, total − Count(), were lost or never sent: they have no value and
// rank above every value. A total below Count() is taken as Count().
//
// The percentile is the sample of rank ceil(p/100·total), at least 1: the smallest
// value that p percent of all samples do not exceed. If that sample is missing,
// known is false and v is 0. Above is total − rank, the number of samples that rank
// above it, missing ones included; compare it with [MinAbove].
//
// The value is that of Java's getValueAtPercentile, the highest of the bucket,
// but never above [Histogram.Max]; for p = 0 it is [Histogram.Min].
func (h *Histogram) QuantileOf(p float64, total int64) (v time.Duration, above int64, known bool) {
	total = max(total, h.Count())
	rank := rankOf(p, total)
	above = max(total-rank, 0)
	switch {
	case rank > h.Count():
		return 0, above, false
	case !(p > 0):
		return h.Min(), above, true
	}
	return h.at(rank), above, true
}

// Quantile returns the p-th percentile of the values that were recorded, and 0
// if there are none. See [Histogram.QuantileOf].
func (h *Histogram) Quantile(p float64) time.Duration {
	v, _, _ := h.QuantileOf(p, h.Count())
	return v
}

// rankOf returns ceil(p/100·total), at least 1. In floating point 99.9 % of 1000 is
// a little more than 999. So it goes one step below p first, as Java does: that step
// is larger than the error of writing p in binary, and far smaller than a rank.
func rankOf(p float64, total int64) int64 {
	if !(p > 0) { // NaN too
		return 1
	}
	below := math.Nextafter(min(p, 100), 0)
	return max(int64(math.Ceil(below*float64(total)/100)), 1)
}

// at returns the value of rank 1 ≤ rank ≤ Count().
func (h *Histogram) at(rank int64) time.Duration {
	for i, count := range h.touched() {
		if rank -= count; rank <= 0 {
			return time.Duration(min(h.highest(h.value(h.first+i)), h.max))
		}
	}
	panic("histogram: a rank above the number of values")
}
