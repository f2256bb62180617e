package metrics

import "github.com/prometheus/client_golang/prometheus"

// The metrics, in the order of descs.
const (
	response = iota
	p50
	p99
	p999
	longest
	rate
	outstanding
	lag
	hiccup
	verdict
)

// labelNames are the labels, which together are different for each cell of a run.
var labelNames = []string{"target", "rate", "size", "connections", "in_flight", "arrivals", "repeat"}

var descs = []*prometheus.Desc{
	response: desc("response_seconds", "Response time of the messages of the measured window, from the moment each was due"),
	p50:      soFar("p50", "p50"),
	p99:      soFar("p99", "p99"),
	p999:     soFar("p99_9", "p99.9"),
	longest:  soFar("max", "The longest"),
	rate:     desc("rate_ops_per_second", "Messages that came back over the last second"),
	outstanding: desc("outstanding_ops",
		"Messages that were due by now and are not back: queued, in flight, failed or lost"),
	lag:     desc("lag_p99_seconds", "How late the generator sent, p99 of the last second"),
	hiccup:  desc("hiccup_max_seconds", "The longest time in the last second that this process was runnable but not scheduled"),
	verdict: desc("verdict", "What the rules say of the window so far: 0 valid, 1 suspect, 2 invalid"),
}

// soFar describes one number of the response times, for who has no native histograms.
func soFar(name, what string) *prometheus.Desc {
	return desc("response_"+name+"_seconds", what+" of the response times of the measured window so far, of the messages that came back")
}

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("brokerbench_"+name, help+" (for watching, not for the record)", labelNames, nil)
}
