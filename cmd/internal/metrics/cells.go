package metrics

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// cells are the current cell and the one before, whose response times are served
// too: a slow scraper would miss its last seconds otherwise.
type cells struct {
	mu          sync.Mutex
	now, before *cell
}

// A cell is the state of a cell at the end of its last interval.
type cell struct {
	id       string
	begun    time.Time
	response prometheus.Metric
	gauges   []prometheus.Metric
}

// progress keeps what is served of a cell, at the end of each interval. Scrapes do not
// touch the histograms of the run.
func (c *cells) progress(now measure.Progress) {
	if !now.Interval {
		return
	}
	next := &cell{id: now.Cell.ID(), begun: time.Now().Add(-now.Elapsed)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && c.now.id == next.id {
		next.begun = c.now.begun
	} else {
		c.before = c.now
	}
	labels := labelsOf(now.Cell)
	next.response, next.gauges = native(now.Response, next.begun, labels), gauges(now, labels)
	c.now = next
}

// Describe implements prometheus.Collector.
func (c *cells) Describe(to chan<- *prometheus.Desc) {
	for _, d := range descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *cells) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	now, before := c.now, c.before
	c.mu.Unlock() // neither cell changes any more
	if before != nil {
		to <- before.response
	}
	if now == nil {
		return
	}
	to <- now.response
	for _, g := range now.gauges {
		to <- g
	}
}

// gauges returns the gauges that are known: in the warm-up there is no response time, no
// lag and no verdict.
func gauges(now measure.Progress, labels []string) (list []prometheus.Metric) {
	add := func(metric int, value float64) {
		list = append(list, prometheus.MustNewConstMetric(descs[metric], prometheus.GaugeValue, value, labels...))
	}
	add(rate, now.RateNow)
	add(outstanding, float64(now.Outstanding))
	add(hiccup, now.HiccupMax.Seconds())
	if now.Done > 0 {
		add(p50, now.P50.Seconds())
		add(p99, now.P99.Seconds())
		add(p999, now.P999.Seconds())
		add(longest, now.Max.Seconds())
		add(lag, now.LagP99Now.Seconds())
	}
	if n, ok := verdicts[now.Verdict]; ok {
		add(verdict, n)
	}
	return list
}

// verdicts gives them numbers, since a dashboard shows numbers.
var verdicts = map[results.Verdict]float64{results.Valid: 0, results.Suspect: 1, results.Invalid: 2}

// labelsOf returns the values of labelNames.
func labelsOf(c plan.Cell) []string {
	s := c.Shape
	inFlight, arrivals := "open", schedule.Constant
	if s.InFlight > 0 {
		inFlight = strconv.Itoa(s.InFlight)
	}
	if s.Arrivals != "" {
		arrivals = s.Arrivals
	}
	return []string{
		c.Target.Name, s.Rate.Column(), strconv.Itoa(s.Size), strconv.Itoa(s.Connections),
		inFlight, string(arrivals), strconv.Itoa(max(c.Repeat, 1)),
	}
}
