package measure

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// distribution returns one in which every percentile has the same value.
func distribution(v time.Duration) results.Distribution {
	d := results.Distribution{Count: 100_000}
	for _, p := range results.Percentiles() {
		d.Percentiles = append(d.Percentiles, results.Percentile{Percentile: p, ValueNS: new(int64(v)), SamplesAbove: 100, Trusted: true})
	}
	return d
}

// set changes one percentile.
func set(d *results.Distribution, percentile float64, change func(*results.Percentile)) {
	for i, row := range d.Percentiles {
		if row.Percentile == percentile {
			change(&d.Percentiles[i])
		}
	}
}

func setValue(d *results.Distribution, percentile float64, v time.Duration) {
	set(d, percentile, func(p *results.Percentile) { *p.ValueNS = int64(v) })
}

// good returns a cell that no rule objects to.
func good() *results.Cell {
	return &results.Cell{
		Plan: plan.Cell{
			Shape: plan.Shape{Rate: 1000, Connections: 1}, Settings: plan.Settings{Duration: 100 * time.Second},
		},
		OfferedPerS: 1000, ReachedPerS: 1000, Ledger: results.Ledger{Due: 100_000, Done: 100_000},
		Response: distribution(10 * ms), Service: distribution(10 * ms), Lag: distribution(time.Microsecond),
		Floor: &results.Floor{
			Noop: results.FloorRun{ReachedPerS: 1000, Response: distribution(time.Microsecond)},
			Echo: results.FloorRun{ReachedPerS: 1000, Response: distribution(50 * time.Microsecond)},
		},
		Tail: &results.Tail{ThresholdNS: int64(10 * ms), Intervals: 10},
		Usage: &results.Usage{
			Process: results.ProcessUsage{CPUCores: 0.5},
			Machine: &results.MachineUsage{CPUs: 4, BusyCores: 1, ThrottledNS: new(int64(0))},
		},
	}
}

var calm = surroundings{clock: "tsc"}

// Each rule objects to a cell at its limit, and not to one just short of it.
func TestRules(t *testing.T) {
	type cell = results.Cell
	untrusted := func(p *results.Percentile) { p.SamplesAbove, p.Trusted = 9, false }
	for _, tt := range []struct {
		code   results.Code
		want   results.Verdict
		at     float64 // a value that is beyond the limit
		nearly float64 // one just short of it
		set    func(c *cell, v float64)
		says   string
	}{
		{results.CodeInterrupted, results.Invalid, 1, 0, func(c *cell, v float64) { c.Interrupted = v == 1 }, "100000 messages were due"},
		{results.CodeEmpty, results.Invalid, 0, 1, func(c *cell, v float64) {
			c.Ledger = results.Ledger{Due: int64(v), Done: int64(v)}
		}, "no message was due"},
		{results.CodeEmpty, results.Invalid, 0, 1, func(c *cell, v float64) {
			c.Ledger, c.Plan.Shape.Rate = results.Ledger{Due: int64(v), Done: int64(v)}, schedule.MinRate
		}, "no message was due in the window: at 1/h a window of 1h0m0s has one"},
		{results.CodeMissing, results.Suspect, 1, 0, func(c *cell, v float64) {
			c.Ledger.Done, c.Ledger.Failed = 100_000-int64(v), int64(v)
			c.Failures = []results.Failure{{Cause: "no space", Count: 1}}
		}, "1 of 100000 messages are missing (0.0010 %): 1 failed, 0 lost, 0 unsent; most failed with: no space"},
		{results.CodeMissing, results.Invalid, 100, 0, func(c *cell, v float64) {
			c.Ledger.Done, c.Ledger.Lost = 100_000-int64(v), int64(v)
			set(&c.Response, 99.99, func(p *results.Percentile) { p.ValueNS, p.Trusted = nil, false })
		}, "100 lost"},
		{results.CodeStrays, results.Suspect, 3, 0, func(c *cell, v float64) { c.Strays.Duplicate = int64(v) }, "3 duplicate"},
		{results.CodeClamped, results.Invalid, 2, 0, func(c *cell, v float64) { c.Response.Clamped = int64(v) }, "2 values"},
		{results.CodeRate, results.Suspect, 989, 990, func(c *cell, v float64) {
			c.ReachedPerS = v
		}, "1000/s were due and 989/s done (98.9 %): the target was behind"},
		{results.CodeRate, results.Invalid, 949, 999, func(c *cell, v float64) {
			c.ReachedPerS, c.Response.MaxNS = v, int64(40*ms)
		}, "949/s done (94.9 %): the target does not carry this rate"},
		{results.CodeRate, results.Suspect, 949, 999, func(c *cell, v float64) {
			c.ReachedPerS, c.Response.MaxNS = v, int64(41*ms)
		}, "behind at the end"},
		{results.CodeRate, results.Invalid, 800, 999, func(c *cell, v float64) {
			c.ReachedPerS, c.Response.MaxNS, c.Floor.Echo.ReachedPerS = v, int64(20*ms), 850
		}, "this client reached only 850/s against a TCP echo"},
		{results.CodeRate, results.Invalid, 0, 999, func(c *cell, v float64) {
			c.ReachedPerS, c.Response = v, results.Distribution{}
		}, "0/s done (0.0 %): the target does not carry this rate"},
		{results.CodeLag, results.Suspect, 11, 10, func(c *cell, v float64) {
			setValue(&c.Lag, 99, time.Duration(v)*ms)
		}, "lag p99 is 11.00 ms, above the response p50 of 10.00 ms"},
		{results.CodeLag, results.Suspect, 6, 5, func(c *cell, v float64) {
			setValue(&c.Lag, 50, time.Duration(v)*ms)
		}, "lag p50 is 6.000 ms of a response p50 of 10.00 ms"},
		{results.CodeEvents, results.Suspect, 1, 0, func(c *cell, v float64) {
			c.Events = slices.Repeat([]results.Event{{Text: "reconnected"}}, int(v))
		}, "reconnected"},
		{results.CodeWindow, results.Suspect, 99.9, 99, func(c *cell, v float64) {
			c.Plan.Settings.Duration, c.Plan.Settings.Percentiles = 9*time.Second, []float64{50, 99, v}
			set(&c.Response, 99.9, untrusted)
		}, "p99.9 has 9 messages above it, fewer than 10: a window of 10s would do"},
		{results.CodeWindow, results.Suspect, 0.1, 1000, func(c *cell, v float64) {
			c.Plan.Shape.Rate = schedule.Rate(v)
			set(&c.Response, 99.9, untrusted)
			c.Plan.Settings.Percentiles = []float64{99.9}
			if v == 1000 {
				c.Plan.Settings.Percentiles = []float64{99}
			}
		}, "fewer than 10: a window of 27h46m40s would do"},
		{results.CodeSamples, results.Suspect, 0, 1, func(c *cell, v float64) {
			c.Plan.Settings.Percentiles = slices.Repeat([]float64{99}, int(v)) // none: the default
			set(&c.Response, 99.9, untrusted)
		}, "p99.9 has 9 messages above it"},
		{results.CodeFloor, results.Suspect, 7500, 7400, func(c *cell, v float64) {
			setValue(&c.Floor.Echo.Response, 50, time.Duration(v)*time.Microsecond)
		}, "p50 is 10.00 ms, and a TCP echo in place of the broker takes 7.500 ms"},
		{results.CodeHiccups, results.Suspect, 5, 4, func(c *cell, v float64) {
			c.Tail.WithHiccup = int(v)
		}, "of the 10 seconds with responses of 10.00 ms or more, 5 also held a hiccup"},
		{results.CodeProcessCPU, results.Suspect, 3.2, 3.1, func(c *cell, v float64) { c.Usage.Process.CPUCores = v }, "3.20 of 4 cores"},
		{results.CodeMachineCPU, results.Suspect, 3.7, 3.5, func(c *cell, v float64) {
			c.Usage.Machine.BusyCores = v
		}, "3.70 of 4 cores, 0.50 of them by brokerbench"},
		{results.CodeSteal, results.Suspect, 0.05, 0.03, func(c *cell, v float64) { c.Usage.Machine.StealCores = v }, "1.2 % of this machine's"},
		{results.CodeThrottled, results.Suspect, 5, 0, func(c *cell, v float64) {
			c.Usage.Machine.ThrottledNS = new(int64(v) * int64(ms))
		}, "ran out for 5.000 ms"},
	} {
		c := good()
		tt.set(c, tt.at)
		c.Judge(problems(c, calm))
		if len(c.Problems) != 1 || c.Problems[0].Code != tt.code || c.Verdict != tt.want || !strings.Contains(c.Problems[0].Text, tt.says) {
			t.Errorf("%s: %s, %+v; want %s, saying %q", tt.code, c.Verdict, c.Problems, tt.want, tt.says)
		}
		tt.set(c, tt.nearly)
		if c.Judge(problems(c, calm)); c.Problems != nil {
			t.Errorf("%s objects to what is nearly its case: %+v", tt.code, c.Problems)
		}
	}
}

func TestRulesAboutTheSurroundings(t *testing.T) {
	for _, tt := range []struct {
		surroundings surroundings
		code         results.Code
		want         results.Verdict
	}{
		{surroundings{clock: "hpet"}, results.CodeClock, results.Suspect},
		{surroundings{clock: "acpi_pm"}, results.CodeClock, results.Suspect},
		{surroundings{clock: "kvm-clock"}, "", results.Valid},
		{surroundings{clock: ""}, "", results.Valid},
		{calm, "", results.Valid},
		{surroundings{clock: "tsc", shared: true}, results.CodeSharedMachine, results.Valid},
	} {
		c := good()
		c.Judge(problems(c, tt.surroundings))
		code := results.Code("")
		if len(c.Problems) > 0 {
			code = c.Problems[0].Code
		}
		if code != tt.code || c.Verdict != tt.want {
			t.Errorf("%+v: %s, %+v; want %s by %q", tt.surroundings, c.Verdict, c.Problems, tt.want, tt.code)
		}
	}
}

// Every rule has a code of its own, which the documentation explains.
func TestEveryRuleIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/methodology.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[results.Code]bool)
	for _, r := range calm.rules() {
		if seen[r.code] || !strings.Contains(string(text), "`"+string(r.code)+"`") {
			t.Errorf("%s: there twice: %v, or not in docs/methodology.md", r.code, seen[r.code])
		}
		seen[r.code] = true
	}
}

// What was not observed is no reason to object.
func TestRulesWithoutAnObserver(t *testing.T) {
	c := good()
	c.Floor, c.Tail, c.Usage, c.Hiccup = nil, nil, nil, nil
	if c.Judge(problems(c, calm)); c.Problems != nil {
		t.Errorf("%+v", c.Problems)
	}
	c.Usage = &results.Usage{Process: results.ProcessUsage{CPUCores: 100}} // on a machine that does not say how many cores it has
	if c.Judge(problems(c, calm)); c.Problems != nil {
		t.Errorf("%+v", c.Problems)
	}
}
