package metrics

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/brokerbench/brokerbench/histogram"
)

// resolution is the schema of the native histograms: 2^5 buckets an octave, each
// 2.2 % wider than the one before. From 10 µs to 10 s that is 640 buckets; ours
// would be 20,000, which no heat map shows.
const resolution = 5

// native returns a histogram in Prometheus' buckets, as a counter that began at
// begun: bucket i holds what is above 2^((i−1)/32) s and at most 2^(i/32) s. See
// https://prometheus.io/docs/specs/native_histograms/. Each bucket of h goes into
// the one that holds its highest value, which is the value that quantiles of h have.
func native(h *histogram.Histogram, begun time.Time, labels []string) prometheus.Metric {
	var zero uint64
	buckets := make(map[int]int64)
	for highest, count := range h.Buckets() {
		if value := min(highest, h.Max()); value > 0 {
			buckets[bucket(value)] += count
		} else {
			zero += uint64(count)
		}
	}
	sum := h.Mean().Seconds() * float64(h.Count())
	m, err := prometheus.NewConstNativeHistogram(responses, uint64(h.Count()), sum, buckets, nil, zero,
		resolution, prometheus.DefNativeHistogramZeroThreshold, begun, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(responses, err)
	}
	return m
}

// bucket returns the index of the bucket of d, which is above 0: ⌈32·log₂ d⌉. The
// power of two is added separately, so that the index is exact if d is one.
func bucket(d time.Duration) int {
	fraction, exponent := math.Frexp(d.Seconds())
	return exponent<<resolution + int(math.Ceil(math.Log2(fraction)*(1<<resolution)))
}
