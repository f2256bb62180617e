package measure

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// distribution returns one in which every percentile has the same value.
func distribution(v time.Duration) results.Distribution {
	d := results.Distribution{Count: 100_000}
	for _, p := range results.Percentiles() {
		ns := int64(v)
		d.Percentiles = append(d.Percentiles, results.Percentile{Percentile: p, ValueNS: &ns, SamplesAbove: 100, Trusted: true})
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
	throttled := int64(0)
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
			Machine: &results.MachineUsage{CPUs: 4, BusyCores: 1, ThrottledNS: &throttled},
		},
	}
}

var calm = surroundings{clock: "tsc"}

// Each rule objects to a cell beyond its limit, and not to one just short of it.
func TestRules(t *testing.T) {
	tests := []struct {
		code   results.Code
		spoil  func(*results.Cell)
		want   results.Verdict
		says   string
		nearly func(*results.Cell) // turns the spoilt cell into one that is just short of the limit
	}{
		{
			results.CodeInterrupted, func(c *results.Cell) { c.Interrupted = true }, results.Invalid, "100000 messages were due",
			func(c *results.Cell) { c.Interrupted = false },
		},
		{
			results.CodeEmpty, func(c *results.Cell) { c.Ledger = results.Ledger{} }, results.Invalid, "no message was due",
			func(c *results.Cell) { c.Ledger = results.Ledger{Due: 1, Done: 1} },
		},
		{results.CodeMissing, func(c *results.Cell) {
			c.Ledger.Done, c.Ledger.Failed = 99_999, 1
			c.Failures = []results.Failure{{Cause: "no space", Count: 1}}
		}, results.Suspect, "1 of 100000 messages are missing (0.0010 %): 1 failed, 0 lost, 0 unsent; most failed with: no space", nil},
		{results.CodeMissing, func(c *results.Cell) {
			c.Ledger.Done, c.Ledger.Lost = 99_900, 100
			set(&c.Response, 99.99, func(p *results.Percentile) { p.ValueNS, p.Trusted = nil, false })
		}, results.Invalid, "100 lost", nil},
		{
			results.CodeStrays, func(c *results.Cell) { c.Strays.Duplicate = 3 }, results.Suspect, "3 duplicate",
			func(c *results.Cell) { c.Strays = results.Strays{} },
		},
		{
			results.CodeClamped, func(c *results.Cell) { c.Response.Clamped = 2 }, results.Invalid, "2 values",
			func(c *results.Cell) { c.Response.Clamped = 0 },
		},
		{
			results.CodeRate, func(c *results.Cell) { c.ReachedPerS = 989 }, results.Suspect, "1000/s were due and 989/s done (98.9 %): the target was behind",
			func(c *results.Cell) { c.ReachedPerS = 990 },
		},
		{
			results.CodeRate, func(c *results.Cell) { c.ReachedPerS, c.Response.MaxNS = 949, int64(40*ms) }, results.Invalid, "949/s done (94.9 %): the target does not carry this rate",
			func(c *results.Cell) { c.ReachedPerS = 999 },
		},
		{
			results.CodeRate, func(c *results.Cell) { c.ReachedPerS, c.Response.MaxNS = 949, int64(41*ms) }, results.Suspect, "behind at the end",
			func(c *results.Cell) { c.ReachedPerS = 999 },
		},
		{results.CodeRate, func(c *results.Cell) {
			c.ReachedPerS, c.Response.MaxNS = 800, int64(20*ms)
			c.Floor.Echo.ReachedPerS = 850
		}, results.Invalid, "this client reached only 850/s against a TCP echo", nil},
		{results.CodeRate, func(c *results.Cell) {
			c.ReachedPerS = 0
			c.Response = results.Distribution{}
		}, results.Invalid, "0/s done (0.0 %): the target does not carry this rate", nil},
		{
			results.CodeLag, func(c *results.Cell) { setValue(&c.Lag, 99, 11*ms) }, results.Suspect, "lag p99 is 11.00 ms, above the response p50 of 10.00 ms",
			func(c *results.Cell) { setValue(&c.Lag, 99, 10*ms) },
		},
		{
			results.CodeLag, func(c *results.Cell) { setValue(&c.Lag, 50, 6*ms) }, results.Suspect, "lag p50 is 6.000 ms of a response p50 of 10.00 ms",
			func(c *results.Cell) { setValue(&c.Lag, 50, 5*ms) },
		},
		{
			results.CodeEvents, func(c *results.Cell) { c.Events = []results.Event{{Text: "reconnected"}} }, results.Suspect, "reconnected",
			func(c *results.Cell) { c.Events = nil },
		},
		{results.CodeWindow, func(c *results.Cell) {
			c.Plan.Settings.Duration = 9 * time.Second
			set(&c.Response, 99.9, func(p *results.Percentile) { p.SamplesAbove, p.Trusted = 9, false })
		}, results.Suspect, "p99.9 has 9 messages above it, fewer than 10: a window of 10s would do", func(c *results.Cell) {
			c.Plan.Settings.Percentiles = []float64{50, 99}
		}},
		{results.CodeSamples, func(c *results.Cell) {
			set(&c.Response, 99.9, func(p *results.Percentile) { p.SamplesAbove, p.Trusted = 9, false })
		}, results.Suspect, "p99.9 has 9 messages above it", func(c *results.Cell) {
			c.Plan.Settings.Percentiles = []float64{99}
		}},
		{
			results.CodeFloor, func(c *results.Cell) { setValue(&c.Floor.Echo.Response, 50, 7500*time.Microsecond) }, results.Suspect,
			"p50 is 10.00 ms, and a TCP echo in place of the broker takes 7.500 ms",
			func(c *results.Cell) { setValue(&c.Floor.Echo.Response, 50, 7400*time.Microsecond) },
		},
		{
			results.CodeHiccups, func(c *results.Cell) { c.Tail.WithHiccup = 5 }, results.Suspect, "of the 10 seconds with responses of 10.00 ms or more, 5 also held a hiccup",
			func(c *results.Cell) { c.Tail.WithHiccup = 4 },
		},
		{
			results.CodeProcessCPU, func(c *results.Cell) { c.Usage.Process.CPUCores = 3.2 }, results.Suspect, "3.20 of 4 cores",
			func(c *results.Cell) { c.Usage.Process.CPUCores = 3.1 },
		},
		{
			results.CodeMachineCPU, func(c *results.Cell) { c.Usage.Machine.BusyCores = 3.7 }, results.Suspect, "3.70 of 4 cores, 0.50 of them by brokerbench",
			func(c *results.Cell) { c.Usage.Machine.BusyCores = 3.5 },
		},
		{
			results.CodeSteal, func(c *results.Cell) { c.Usage.Machine.StealCores = 0.05 }, results.Suspect, "1.2 % of this machine's cores",
			func(c *results.Cell) { c.Usage.Machine.StealCores = 0.03 },
		},
		{
			results.CodeThrottled, func(c *results.Cell) { *c.Usage.Machine.ThrottledNS = int64(5 * ms) }, results.Suspect, "ran out for 5.000 ms",
			func(c *results.Cell) { *c.Usage.Machine.ThrottledNS = 0 },
		},
	}
	for _, tt := range tests {
		c := good()
		tt.spoil(c)
		c.Judge(problems(c, calm))
		if len(c.Problems) != 1 || c.Problems[0].Code != tt.code || c.Verdict != tt.want || !strings.Contains(c.Problems[0].Text, tt.says) {
			t.Errorf("%s: %s, %+v; want %s, saying %q", tt.code, c.Verdict, c.Problems, tt.want, tt.says)
		}
		if tt.nearly == nil {
			continue
		}
		tt.nearly(c)
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

func TestNoRuleObjectsToAGoodCell(t *testing.T) {
	c := good()
	c.Judge(problems(c, calm))
	if c.Verdict != results.Valid || c.Problems != nil {
		t.Errorf("%s, %+v", c.Verdict, c.Problems)
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
