package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/results"
)

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
