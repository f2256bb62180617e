package metrics

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// cells hold the metrics of the current cell at the end of its last interval, and the response times
// of the cell before: a slow scraper would miss its last seconds otherwise.
type cells struct {
	mu                       sync.Mutex
	id                       string // of the current cell
	begun                    time.Time
	before, response, gauges []prometheus.Metric
}

// progress copies the numbers of a cell at the end of each interval, so that scrapes do not
// touch the histograms of the run.
func (c *cells) progress(now measure.Progress) {
	if !now.Interval {
		return
	}
	cell := now.Cell
	cell.Shape.Section = now.Section // whose response times these are
	labels := labelsOf(cell)
	c.mu.Lock()
	defer c.mu.Unlock()
	if id := cell.ID(); id != c.id {
		c.id, c.begun, c.before = id, time.Now().Add(-now.Elapsed), c.response
	}
	c.response, c.gauges = []prometheus.Metric{native(responses, now.Response, c.begun, labels)}, known(now, labels)
}

// Describe implements prometheus.Collector.
func (c *cells) Describe(to chan<- *prometheus.Desc) {
	to <- responses
	for _, g := range gauges {
		to <- g.desc
	}
}

// Collect implements prometheus.Collector.
func (c *cells) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	all := slices.Concat(c.before, c.response, c.gauges)
	c.mu.Unlock()
	for _, m := range all {
		to <- m
	}
}

func known(now measure.Progress, labels []string) (list []prometheus.Metric) {
	for _, g := range gauges {
		if value, ok := g.value(now); ok {
			list = append(list, prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, labels...))
		}
	}
	return list
}

func labelsOf(c plan.Cell) []string {
	s := c.Shape
	return []string{
		c.Target.Name, s.RateColumn(), cmp.Or(string(s.Sizes), strconv.Itoa(s.Size)), strconv.Itoa(s.Connections),
		words.InFlight(s.InFlight), string(cmp.Or(s.Arrivals, schedule.Constant)), strconv.Itoa(max(c.Repeat, 1)),
	}
}

// labelNames are the labels, which together are different for each cell of a run.
var labelNames = []string{"target", "rate", "size", "connections", "in_flight", "arrivals", "repeat"}

// responses describes the native histogram.
var responses = desc("response_seconds", "Response time of the messages of the measured window, from the moment each was due")

// A gauge is a number of a cell; ok is false while it is unknown: in the warm-up there is no
// response time, no lag and no verdict.
type gauge struct {
	desc  *prometheus.Desc
	value func(now measure.Progress) (value float64, ok bool)
}

var gauges = []gauge{
	soFar("p50", "p50", func(now measure.Progress) time.Duration { return now.P50 }),
	soFar("p99", "p99", func(now measure.Progress) time.Duration { return now.P99 }),
	soFar("p99_9", "p99.9", func(now measure.Progress) time.Duration { return now.P999 }),
	soFar("max", "The longest", func(now measure.Progress) time.Duration { return now.Max }),
	{desc("rate_ops_per_second", "Messages that came back over the last second"), func(now measure.Progress) (float64, bool) { return now.RateNow, true }},
	{
		desc("outstanding_ops", "Messages that were due by now and are not back: queued, in flight, failed or lost"),
		func(now measure.Progress) (float64, bool) { return float64(now.Outstanding), true },
	},
	{desc("lag_p99_seconds", "How late the generator sent, p99 of the last second"), func(now measure.Progress) (float64, bool) { return now.LagP99Now.Seconds(), now.Done > 0 }},
	{
		desc("hiccup_max_seconds", "The longest time in the last second that this process was runnable but not scheduled"),
		func(now measure.Progress) (float64, bool) { return now.HiccupMax.Seconds(), true },
	},
	{desc("verdict", "Verdict on the window so far: 0 valid, 1 suspect, 2 invalid"), func(now measure.Progress) (float64, bool) {
		n, ok := map[results.Verdict]float64{results.Valid: 0, results.Suspect: 1, results.Invalid: 2}[now.Verdict]
		return n, ok
	}},
}

// soFar is one number of the response times, for a Prometheus without native histograms.
func soFar(name, what string, of func(measure.Progress) time.Duration) gauge {
	return gauge{
		desc("response_"+name+"_seconds", what+" of the response times of the measured window so far, of the messages that came back"),
		func(now measure.Progress) (float64, bool) { return of(now).Seconds(), now.Done > 0 },
	}
}

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("brokerbench_"+name, help+" (for watching, not for the record)", labelNames, nil)
}

// resolution is the schema of the native histograms: 2^5 buckets an octave, each
// 2.2 % wider than the one before. From 10 µs to 10 s that is 640 buckets; ours
// would be 20,000, which no heat map shows.
const resolution = 5

// native returns a histogram in Prometheus' buckets, as a counter that began at
// begun: bucket i holds what is above 2^((i−1)/32) s and at most 2^(i/32) s. See
// https://prometheus.io/docs/specs/native_histograms/. Each bucket of h goes into
// the one that holds its highest value, which is the value that quantiles of h have.
func native(desc *prometheus.Desc, h *histogram.Histogram, begun time.Time, labels []string) prometheus.Metric {
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
	m, err := prometheus.NewConstNativeHistogram(desc, uint64(h.Count()), sum, buckets, nil, zero,
		resolution, prometheus.DefNativeHistogramZeroThreshold, begun, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return m
}

// bucket returns the index of the bucket of d, which is above 0: ⌈32·log₂ d⌉. The
// power of two is added separately, so that the index is exact if d is one.
func bucket(d time.Duration) int {
	fraction, exponent := math.Frexp(d.Seconds())
	return exponent<<resolution + int(math.Ceil(math.Log2(fraction)*(1<<resolution)))
}
