package search_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const ms = time.Millisecond

// flat returns a distribution in which every percentile is the same.
func flat(value time.Duration) (d results.Distribution) {
	for _, p := range results.Percentiles() {
		d.Percentiles = append(d.Percentiles, results.Percentile{Percentile: p, ValueNS: new(int64(value)), SamplesAbove: 100, Trusted: true})
	}
	return d
}

// measuredAt returns a cell of 1,000/s that reached them all.
func measuredAt(t *testing.T, response time.Duration, objectives ...string) *results.Cell {
	t.Helper()
	c := &results.Cell{
		Plan: plan.Cell{Shape: plan.Shape{Rate: 1000}}, OfferedPerS: 1000, ReachedPerS: 1000,
		Ledger: results.Ledger{Due: 5000, Done: 5000}, Response: flat(response), Service: flat(response), Lag: flat(time.Microsecond),
	}
	for _, text := range objectives {
		o, err := plan.ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Plan.SLOs = append(c.Plan.SLOs, o)
	}
	return c
}

func problem(code string, severity results.Verdict) results.Problem {
	return results.Problem{Code: code, Severity: severity, Text: "because of " + code}
}

// overloaded makes a cell that reached only half of its rate.
func overloaded(c *results.Cell) {
	c.ReachedPerS = 500
	c.Judge([]results.Problem{problem("rate", results.Invalid)})
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		slo    string
		value  time.Duration
		change func(c *results.Cell)
		want   search.Answer
		sure   bool
		reason string
	}{
		{"kept", "p99<5ms", 4 * ms, nil, search.Kept, false, ""},
		{"missed", "p99<5ms", 6 * ms, nil, search.Missed, false, ""},
		{"kept, but behind at the end", "p99<5ms", 4 * ms, func(c *results.Cell) {
			c.ReachedPerS = 970
			c.Judge([]results.Problem{problem("rate", results.Suspect)})
		}, search.Missed, false, "reached 970/s"},
		{"kept, and behind since it stood still at the end", "p99<5ms", 4 * ms, func(c *results.Cell) {
			c.ReachedPerS, c.Response.MaxNS = 970, int64(90*ms)
			c.Judge([]results.Problem{problem("rate", results.Suspect)})
		}, search.Kept, false, ""},
		{"this process stood still at the end", "p99<5ms", 40 * ms, func(c *results.Cell) {
			c.ReachedPerS, c.Response.MaxNS, c.Hiccup = 970, int64(200*ms), new(flat(30*ms))
			c.Judge([]results.Problem{problem("rate", results.Suspect)})
		}, search.Unclear, false, "hiccup p99 is 30ms"},
		{"an echo that stood still at the end", "p99<5ms", 6 * ms, func(c *results.Cell) {
			c.Floor = &results.Floor{Echo: results.FloorRun{ReachedPerS: 900, Response: flat(ms)}}
			c.Floor.Echo.Response.MaxNS = int64(100 * ms)
		}, search.Missed, false, ""},
		{"a rate that may be behind", "rate>95%", 4 * ms, func(c *results.Cell) {
			c.ReachedPerS = 970
			c.Judge([]results.Problem{problem("rate", results.Suspect)})
		}, search.Kept, false, ""},
		{"an overload", "p99<5s", 4 * ms, overloaded, search.Missed, true, "reached 500/s"},
		{"an overload in which the sender was held up", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag = flat(390 * ms)
			overloaded(c)
		}, search.Missed, true, ""},
		{"a sender that was late, and answered at once", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag, c.Service = flat(390*ms), flat(ms)
			overloaded(c)
		}, search.Client, false, "the generator sent late, reached 500/s: lag p50 is 390ms, service p50 1ms"},
		{"a sender that was late and busy", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag, c.Service = flat(390*ms), flat(ms)
			c.Usage = &results.Usage{Process: results.ProcessUsage{CPUCores: 0.9}}
			overloaded(c)
		}, search.Client, false, "the generator sent late"},
		{"a sender that was late and idle: it was held up", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag, c.Service = flat(390*ms), flat(ms)
			c.Usage = &results.Usage{Process: results.ProcessUsage{CPUCores: 0.3}}
			overloaded(c)
		}, search.Missed, true, "reached 500/s"},
		{"of two senders one idles", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag, c.Service = flat(390*ms), flat(ms)
			c.Plan.Settings.Senders = 2
			c.Usage = &results.Usage{Process: results.ProcessUsage{CPUCores: 1}}
			overloaded(c)
		}, search.Missed, true, "reached 500/s"},
		{"a little late, and answered at once", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag, c.Service = flat(190*ms), flat(ms)
			overloaded(c)
		}, search.Missed, true, ""},
		{"missed on a machine without a core to spare", "p99<5ms", 6 * ms, func(c *results.Cell) {
			c.Judge([]results.Problem{problem("machine-cpu", results.Suspect)})
		}, search.Missed, false, "because of machine-cpu"},
		{"an overload of a machine without a core to spare", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.ReachedPerS = 500
			c.Judge([]results.Problem{problem("rate", results.Invalid), problem("machine-cpu", results.Suspect)})
		}, search.Missed, true, "reached 500/s; because of machine-cpu"},
		{"an overload that a TCP echo has, too", "p99<5ms", 400 * ms, func(c *results.Cell) {
			overloaded(c)
			c.Floor = &results.Floor{Echo: results.FloorRun{ReachedPerS: 600, Response: flat(300 * ms)}}
		}, search.Client, false, "only 600/s against a TCP echo"},
		{"a floor that is above the limit", "p99<5ms", 6 * ms, func(c *results.Cell) {
			c.Floor = &results.Floor{Echo: results.FloorRun{ReachedPerS: 1000, Response: flat(5500 * time.Microsecond)}}
		}, search.Client, false, "TCP echo in place of the target has p99 5.5ms"},
		{"a floor below the limit", "p99<5ms", 6 * ms, func(c *results.Cell) {
			c.Floor = &results.Floor{Echo: results.FloorRun{ReachedPerS: 1000, Response: flat(ms)}}
		}, search.Missed, false, ""},
		{"kept above a bad floor", "p99<5ms", 4 * ms, func(c *results.Cell) {
			c.Floor = &results.Floor{Echo: results.FloorRun{ReachedPerS: 10, Response: flat(time.Second)}}
		}, search.Kept, false, ""},
		{"no core left", "p99<5ms", 6 * ms, func(c *results.Cell) {
			c.Judge([]results.Problem{problem("process-cpu", results.Suspect)})
		}, search.Client, false, "because of process-cpu"},
		{"late", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Lag = flat(3 * ms) }, search.Client, false, "lag p99 is 3ms"},
		{"a little late", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Lag = flat(2 * ms) }, search.Missed, false, ""},
		{"hiccups as long as half of it", "p99<5ms", 6 * ms, func(c *results.Cell) {
			c.Hiccup = new(flat(3 * ms))
		}, search.Unclear, false, "hiccup p99 is 3ms"},
		{"shorter hiccups", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Hiccup = new(flat(2 * ms)) }, search.Missed, false, ""},
		{"an overload with hiccups", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Hiccup = new(flat(300 * ms))
			overloaded(c)
		}, search.Missed, true, ""},
		{"stolen from a high percentile", "p99.9<5ms", 6 * ms, func(c *results.Cell) {
			c.Judge([]results.Problem{problem("steal", results.Suspect)})
		}, search.Unclear, false, "because of steal"},
		{"what is stolen does not move the median", "p50<5ms", 6 * ms, func(c *results.Cell) {
			c.Judge([]results.Problem{problem("steal", results.Suspect)})
		}, search.Missed, false, ""},
		{"too few ops", "p99.9<5ms", 4 * ms, func(c *results.Cell) {
			c.Response.Percentiles[5].Trusted, c.Response.Percentiles[5].SamplesAbove = false, 3
		}, search.Unclear, false, "only 3 ops above it"},
		{"lost", "loss<50%", 4 * ms, func(c *results.Cell) {
			c.Ledger.Done, c.Ledger.Lost = 4000, 1000
			c.Judge([]results.Problem{problem("missing", results.Invalid)})
		}, search.Missed, false, "because of missing"},
		{"clamped", "p50<1h", 4 * ms, func(c *results.Cell) {
			c.Judge([]results.Problem{problem("clamped", results.Invalid)})
		}, search.Unclear, false, "the cell is invalid"},
	} {
		c := measuredAt(t, tt.value, tt.slo)
		if tt.change != nil {
			tt.change(c)
		}
		c.JudgeSLOs()
		got := search.Judge(c)
		if len(got) != 1 || got[0].Answer != tt.want || got[0].Sure != tt.sure || !strings.Contains(got[0].Reason, tt.reason) {
			t.Errorf("%s: %+v, want %s (sure %v) because %q", tt.name, got, tt.want, tt.sure, tt.reason)
		}
	}
}

func TestMeasured(t *testing.T) {
	c := measuredAt(t, 4_123_456*time.Nanosecond, "p99<5ms", "service.p99<5ms", "lag.p99<5ms", "loss<1%", "rate>99%", "max<5ms")
	c.Service = flat(999 * time.Nanosecond)
	c.JudgeSLOs()
	want := []string{"4.123ms", "999ns", "1µs", "0 %", "100 %", "4.123ms"}
	for i, j := range search.Judge(c) {
		if j.Measured != want[i] {
			t.Errorf("%v: %q, want %q", c.Plan.SLOs[i], j.Measured, want[i])
		}
	}
	c.Response.Percentiles[4].ValueNS = nil
	if got := search.Judge(c)[0].Measured; got != "?" {
		t.Errorf("unknown is %q", got)
	}
}
