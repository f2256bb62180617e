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
	labels   []string
	begun    time.Time
	response native
	gauges   []gauge
}

// A gauge is a metric with its value.
type gauge struct {
	desc  *prometheus.Desc
	value float64
}

// progress keeps what is served of a cell, at the end of each interval. Scrapes do not
// touch the histograms of the run.
func (c *cells) progress(now measure.Progress) {
	if !now.Interval {
		return
	}
	next := &cell{
		id: now.Cell.ID(), labels: labelsOf(now.Cell), begun: time.Now().Add(-now.Elapsed),
		response: newNative(now.Response), gauges: gaugesOf(now),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && c.now.id == next.id {
		next.begun = c.now.begun
	} else {
		c.before = c.now
	}
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
		to <- before.response.metric(before.begun, before.labels)
	}
	if now == nil {
		return
	}
	to <- now.response.metric(now.begun, now.labels)
	for _, g := range now.gauges {
		to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, g.value, now.labels...)
	}
}

// gaugesOf returns the gauges that are known: in the warm-up there is no lag and
// no verdict.
func gaugesOf(now measure.Progress) []gauge {
	list := []gauge{
		{descs[rate], now.RateNow},
		{descs[outstanding], float64(now.Outstanding)},
		{descs[hiccup], now.HiccupMax.Seconds()},
	}
	if now.Done > 0 {
		list = append(list, gauge{descs[lag], now.LagP99Now.Seconds()})
	}
	if n, ok := verdicts[now.Verdict]; ok {
		list = append(list, gauge{descs[verdict], n})
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
		c.Target.Name, strconv.Itoa(s.Rate), strconv.Itoa(s.Size), strconv.Itoa(s.Connections),
		inFlight, string(arrivals), strconv.Itoa(max(c.Repeat, 1)),
	}
}
