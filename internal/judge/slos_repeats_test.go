package judge_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// measured returns a repeat of a minute of log-normal responses around a millisecond.
func measured(t *testing.T, factor float64, missing int64, objective string) *results.Cell {
	t.Helper()
	rng, series := rand.New(rand.NewPCG(1, uint64(1000*factor))), new(confidence.Series)
	for range 60 {
		second := histogram.New()
		for range 500 {
			second.Record(time.Duration(factor * 1e6 * math.Exp(0.3*rng.NormFloat64())))
		}
		series.Add(second)
	}
	c := &results.Cell{Verdict: results.Valid, OfferedPerS: 500, ReachedPerS: 500, Response: results.NewDistribution(series.Values(), missing)}
	c.Plan.Settings.Duration, c.Plan.SLOs = time.Minute, objectives(t, objective)
	c.Ledger = results.Ledger{Due: 30_000 + missing, Done: 30_000, Lost: missing}
	for i, row := range c.Response.Percentiles {
		interval, _ := series.Interval(row.Percentile, missing)
		events, ok := series.Events(row.Percentile, missing)
		c.Response.Percentiles[i].Bound(interval, events, ok)
	}
	c.SetHistogram("response", series.Values())
	judge.SLOs(c)
	return c
}

func TestPooledSLOs(t *testing.T) {
	for _, tt := range []struct {
		name, objective string
		factors         []float64
		missing         int64 // in the first repeat
		want            results.Outcome
		says            string
	}{
		{"all are below", "p50<2ms", []float64{1, 1, 1}, 0, results.Passed, "995.8µs"},
		{"one repeat alone is above, all together are not", "p50<1.2ms", []float64{1, 1.25, 1, 1, 1, 1}, 0, results.Passed, ""},
		{"repeats differ about the limit", "p50<1.2ms", []float64{1, 1.3, 1, 1.3}, 0, results.Inconclusive, "measure more repeats"},
		{"two that differ say nothing", "p50<3ms", []float64{1, 1.3}, 0, results.Inconclusive, "measure more repeats"},
		{"all are above", "p50<0.5ms", []float64{1, 1, 1}, 0, results.Missed, ""},
		{"pauses that did not come", "p99.9<50ms", []float64{1, 1, 1}, 0, results.Inconclusive, "measure for 7m30s in all"},
		{"the loss is that of all", "loss<1%", []float64{1, 1, 1}, 600, results.Passed, "0.6623 %"},
		{"the loss of one repeat", "loss<1%", []float64{1}, 600, results.Missed, "1.961 %"},
		{"the maximum is that of each", "max<1ms", []float64{1, 1, 0.1}, 0, results.Missed, ""},
		{"the rate is that of each", "rate>=500/s", []float64{1, 1, 1}, 0, results.Passed, ""},
		{"one repeat", "p50<1ms", []float64{1}, 0, results.Inconclusive, "measure for longer"},
	} {
		var cells []*results.Cell
		for i, f := range tt.factors {
			missing := tt.missing
			if i > 0 {
				missing = 0
			}
			cells = append(cells, measured(t, f, missing, tt.objective))
		}
		if got := judge.PooledSLOs(cells); len(got) != 1 || got[0].Outcome != tt.want || !strings.Contains(got[0].Text, tt.says) {
			t.Errorf("%s: %+v, want %s saying %q", tt.name, got, tt.want, tt.says)
		}
	}
}

// A window without a pause does not show that there are none.
func TestSLOsExcludePausesThatDidNotCome(t *testing.T) {
	for _, tt := range []struct {
		objective string
		window    time.Duration
		longest   time.Duration
		want      results.Outcome
	}{
		{"p99.9<50ms", 30 * time.Second, 20 * time.Millisecond, results.Inconclusive},
		{"p99.9<50ms", 7*time.Minute + 30*time.Second, 20 * time.Millisecond, results.Passed},
		{"p99.9<199ms", 5 * time.Second, 20 * time.Millisecond, results.Passed},  // such a pause does not break it
		{"p99.9<50ms", 30 * time.Second, 300 * time.Millisecond, results.Passed}, // pauses came, and are in the interval
		{"p50<50ms", 5 * time.Second, 20 * time.Millisecond, results.Passed},     // pauses would have to take half of the time
		{"max<50ms", 5 * time.Second, 20 * time.Millisecond, results.Passed},     // of this run
		{"p99.9<4ms", 30 * time.Second, 20 * time.Millisecond, results.Missed},
	} {
		low, value, high := int64(4e6), int64(5e6), int64(6e6)
		row := results.Percentile{ValueNS: &value, LowNS: &low, HighNS: &high, SamplesAbove: 100, Events: 50, Trusted: true}
		c := &results.Cell{Plan: plan.Cell{SLOs: objectives(t, tt.objective)}, Verdict: results.Valid, Ledger: results.Ledger{Due: 1, Done: 1}}
		c.Plan.Settings.Duration = tt.window
		row.Percentile = c.Plan.SLOs[0].Percentile
		c.Response = results.Distribution{MaxNS: int64(tt.longest), Percentiles: []results.Percentile{row}}
		if judge.SLOs(c); c.SLOs[0].Outcome != tt.want {
			t.Errorf("%s in %v, longest %v: %+v, want %s", tt.objective, tt.window, tt.longest, c.SLOs[0], tt.want)
		}
	}
}
