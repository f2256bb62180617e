package machine

import (
	"runtime/metrics"

	"github.com/brokerbench/brokerbench/results"
)

// The metrics of Go's runtime that are read. Reading them does not stop the world;
// runtime.ReadMemStats does.
const (
	gcCycles = iota
	gcPauses
	schedLatencies
	heapBytes
	goroutines
	allMetrics
)

// goRuntime reads the counters of Go's runtime.
type goRuntime struct {
	samples   [allMetrics]metrics.Sample
	cycles    int64 // until the last sample
	pauses    growth
	latencies growth
}

func newGoRuntime() (g goRuntime) {
	g.samples[gcCycles].Name = "/gc/cycles/total:gc-cycles"
	g.samples[gcPauses].Name = "/sched/pauses/total/gc:seconds"
	g.samples[schedLatencies].Name = "/sched/latencies:seconds"
	g.samples[heapBytes].Name = "/memory/classes/heap/objects:bytes"
	g.samples[goroutines].Name = "/sched/goroutines:goroutines"
	return g
}

// sinceLast returns what happened since the last sample.
func (g *goRuntime) sinceLast() results.GoUsage {
	metrics.Read(g.samples[:])
	cycles := count(g.samples[gcCycles].Value)
	g.pauses.update(distribution(g.samples[gcPauses].Value))
	g.latencies.update(distribution(g.samples[schedLatencies].Value))
	usage := results.GoUsage{
		GCCycles:          cycles - g.cycles,
		GCPauseMaxNS:      g.pauses.quantile(1),
		GCPauseTotalNS:    g.pauses.sum(),
		SchedLatencyP99NS: g.latencies.quantile(0.99),
		SchedLatencyMaxNS: g.latencies.quantile(1),
		HeapBytes:         count(g.samples[heapBytes].Value),
		Goroutines:        count(g.samples[goroutines].Value),
	}
	g.cycles = cycles
	return usage
}

// count returns a metric that is a number, 0 if this version of Go lacks it.
func count(v metrics.Value) int64 {
	if v.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(v.Uint64())
}

// distribution returns a metric that is a histogram, an empty one if this version
// of Go lacks it.
func distribution(v metrics.Value) *metrics.Float64Histogram {
	if v.Kind() != metrics.KindFloat64Histogram {
		return new(metrics.Float64Histogram)
	}
	return v.Float64Histogram()
}
