package metrics

import "github.com/prometheus/client_golang/prometheus"

// The metrics, in the order of descs.
const (
	response = iota
	rate
	outstanding
	lag
	hiccup
	verdict
)

// labelNames tell the cells of a run apart.
var labelNames = []string{"target", "rate", "size", "connections", "in_flight", "arrivals", "repeat"}

var descs = []*prometheus.Desc{
	response: desc("response_seconds", "Response time, from the moment an op was due, of the ops of the measured window"),
	rate:     desc("rate_ops_per_second", "Ops done over the last second"),
	outstanding: desc("outstanding_ops",
		"Ops that were due by now, by the schedule, and are not done: queued, in flight, failed or lost"),
	lag:     desc("lag_p99_seconds", "How late the generator sent, p99 of the last second"),
	hiccup:  desc("hiccup_max_seconds", "The longest time in the last second that this process wanted to run and did not"),
	verdict: desc("verdict", "What the rules say of the window so far: 0 valid, 1 suspect, 2 invalid"),
}

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("brokerbench_"+name, help+" (for watching, not for the record)", labelNames, nil)
}
