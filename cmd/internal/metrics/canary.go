package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/brokerbench/brokerbench/internal/canary"
)

// A Canary has the metrics of a canary, for [Server.Instead]. Its counters begin with the process.
type Canary struct {
	target string
	begun  time.Time

	mu   sync.Mutex
	all  []prometheus.Metric
	high map[string]float64 // by outcome: an overdue message may still come
}

// NewCanary returns the metrics of a canary of a target.
func NewCanary(target string) *Canary {
	return &Canary{target: target, begun: time.Now(), high: make(map[string]float64)}
}

var (
	canaryLabels   = []string{"target"}
	canaryResponse = canaryDesc("response_seconds", "Response time of the messages that came back, from the moment each was due")
	canaryService  = canaryDesc("service_seconds", "Service time of the messages that came back, from the moment each was sent")
	canaryMessages = prometheus.NewDesc("brokerbench_canary_messages_total", "Messages that were due, by what became of them: done, failed, lost, unsent, not_measured", []string{"target", "outcome"}, nil)
	canaryBroken   = canaryDesc("acked_lost_total", "Messages that were acknowledged and did not come back")
	canaryGap      = canaryDesc("unmeasured_seconds_total", "Time without measurement")
	canaryUp       = canaryDesc("up", "1 while messages come back, 0 otherwise")
	canaryWritten  = canaryDesc("written", "1 if the last flush was written, 0 otherwise")
)

func canaryDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("brokerbench_canary_"+name, help, canaryLabels, nil)
}

// Show takes a snapshot, as canary.Options.Show does.
func (c *Canary) Show(s canary.Snapshot) {
	l := s.Ledger
	all := []prometheus.Metric{
		native(canaryResponse, s.Histograms[canary.Response], c.begun, []string{c.target}),
		native(canaryService, s.Histograms[canary.Service], c.begun, []string{c.target}),
		prometheus.MustNewConstMetric(canaryUp, prometheus.GaugeValue, oneIf(s.Up), c.target),
		prometheus.MustNewConstMetric(canaryWritten, prometheus.GaugeValue, oneIf(s.Unwritten == nil), c.target),
		c.counter(canaryGap, "gap", s.Unmeasured.Seconds()), c.counter(canaryBroken, "acked", float64(s.Acks.Missing)),
	}
	for _, one := range []struct {
		outcome string
		n       int64
	}{{"done", l.Done}, {"failed", l.Failed}, {"lost", l.Lost}, {"unsent", l.Unsent}, {"not_measured", s.NotMeasured}} {
		all = append(all, c.counter(canaryMessages, one.outcome, float64(one.n), one.outcome))
	}
	c.mu.Lock()
	c.all = all
	c.mu.Unlock()
}

// counter returns a counter, which never goes back.
func (c *Canary) counter(d *prometheus.Desc, key string, value float64, more ...string) prometheus.Metric {
	c.high[key] = max(c.high[key], value)
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, c.high[key], append([]string{c.target}, more...)...)
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Describe implements prometheus.Collector.
func (c *Canary) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{canaryResponse, canaryService, canaryMessages, canaryBroken, canaryGap, canaryUp, canaryWritten} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Canary) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.all {
		to <- m
	}
}
