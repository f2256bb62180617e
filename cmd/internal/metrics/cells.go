package metrics

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
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

// progress copies the numbers of a cell at the end of each interval, so that scrapes do not
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
	next.response, next.gauges = native(now.Response, next.begun, labels), known(now, labels)
	c.now = next
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
	now, before := c.now, c.before
	c.mu.Unlock() // neither cell changes from now on
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

// known returns the gauges that are known.
func known(now measure.Progress, labels []string) (list []prometheus.Metric) {
	for _, g := range gauges {
		if value, ok := g.value(now); ok {
			list = append(list, prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, labels...))
		}
	}
	return list
}

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
