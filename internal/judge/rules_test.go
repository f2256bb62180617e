package judge

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

const ms = time.Millisecond

// distribution returns one in which every percentile has the same value.
func distribution(v time.Duration) results.Distribution {
	d := results.Distribution{Count: 100_000}
	for _, p := range results.Percentiles() {
		d.Percentiles = append(d.Percentiles, results.Percentile{
			Percentile: p, ValueNS: new(int64(v)), SamplesAbove: 100, LowNS: new(int64(v)), HighNS: new(int64(v)), Trusted: true,
		})
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
	set(d, percentile, func(p *results.Percentile) { *p.ValueNS, *p.LowNS, *p.HighNS = int64(v), int64(v), int64(v) })
}

// good returns a cell that no rule objects to.
func good() *results.Cell {
	return &results.Cell{
		Plan: plan.Cell{
			Shape: plan.Shape{Rate: 1000, Connections: 1}, Settings: plan.Settings{Duration: 100 * time.Second},
		},
		OfferedPerS: 1000, ReachedPerS: 1000, Ledger: results.Ledger{Due: 100_000, Done: 100_000},
		Response: distribution(10 * ms), Service: distribution(10 * ms), Lag: distribution(time.Microsecond), Held: distribution(0),
		Floor: &results.Floor{
			Noop: results.FloorRun{ReachedPerS: 1000, Response: distribution(time.Microsecond)},
			Echo: results.FloorRun{OfferedPerS: 1000, ReachedPerS: 1000, Response: distribution(50 * time.Microsecond)},
		},
		UsableCores: 4,
		Tail:        &results.Tail{ThresholdNS: int64(10 * ms), Intervals: 10, Ordinary: 90},
		Hiccup:      new(distribution(0)), Steady: &results.Steady{P50Change: 1},
		Usage: &results.Usage{
			ToNS: int64(100 * time.Second), Process: results.ProcessUsage{CPUCores: 0.5},
			Machine: &results.MachineUsage{CPUs: 4, BusyCores: 1, ThrottledNS: new(int64(0))},
		},
	}
}

var calm = Environment{OS: "linux", Clock: "tsc", Step: 25}

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
		{results.CodeInterrupted, results.Valid, 1, 0, func(c *cell, v float64) { c.Interrupted = v == 1 }, "100000 messages were due"},
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
			set(&c.Response, 99.9, func(p *results.Percentile) { p.ValueNS, p.Trusted = nil, false })
		}, "100 lost"},
		{results.CodeLedger, results.Invalid, 1, 0, func(c *cell, v float64) { c.Response.Count = 100_000 + int64(v) }, "100001 in the histogram"},
		{results.CodeRate, results.Invalid, 9e6, 0, func(c *cell, v float64) {
			c.Steady.GrowsNSPer, c.Steady.CapacityPS = v, 991
		}, "the queue grew all the time, by 9.00 ms a second: 1000/s were due, and the target can do about 991/s"},
		{results.CodeRate, results.Suspect, 9e6, 0, func(c *cell, v float64) {
			c.Steady.GrowsNSPer, c.Steady.CapacityPS, c.Steady.Undecided = v, 991, true
		}, "the queue grew by 9.00 ms a second, as it does at 1000/s if the target can do 991/s, or for a while if it can do a little more: not decided"},
		{results.CodeSteady, results.Suspect, 5, 1, func(c *cell, v float64) {
			if c.Steady.Level = nil; v > 1 {
				c.Steady.Level = &results.Level{FromNS: 5e9, ToNS: 10e9, P50Change: v}
			}
		}, "not steady: p50 from 5.0 to 10.0 s of the window is 5 times that of the rest"},
		{results.CodeSteady, results.Suspect, 1.35, 1, func(c *cell, v float64) {
			c.Steady.P50Change, c.Steady.Sure = v, v > 1
		}, "not steady: p50 rose by 35 % over the window"},
		{results.CodeWarmup, results.Suspect, 10, 0, func(c *cell, v float64) {
			*c.Steady = results.Steady{ColdNS: int64(v) * int64(time.Second), ColdP50NS: int64(3 * ms), WarmP50NS: int64(ms)}
		}, "p50 is 3.00 ms in the first 10s of the window and 1.00 ms after it"},
		{results.CodeRare, results.Valid, 2.4, 60, func(c *cell, v float64) {
			set(&c.Response, 99, func(p *results.Percentile) { p.Events, p.Trusted = v, v > 5 })
		}, "the 100 messages above p99 come from about 2 events"},
		{results.CodeDrain, results.Valid, 30_000, 0, func(c *cell, v float64) {
			c.Backlog = &results.Backlog{Phases: []results.BacklogPhase{{Phase: "before", Due: 99}, {Phase: "during", Due: int64(v)}, {Phase: "after", Due: 99}}}
		}, "the backlog reached up to 30000 of 100000 messages: these percentiles depend on how long the rest of the window is"},
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
		{results.CodeRate, results.Suspect, 989, 990, func(c *cell, v float64) { // the floor has another schedule
			c.ReachedPerS, c.Floor.Echo.ReachedPerS, c.Floor.Echo.Response.MaxNS = v, 0, int64(time.Second)
		}, "the target was behind at the end"},
		{results.CodeRate, results.Invalid, 0, 999, func(c *cell, v float64) {
			c.ReachedPerS, c.Response = v, results.Distribution{}
		}, "0/s done (0.0 %): the target does not carry this rate"},
		{results.CodeRate, results.Invalid, 0, 999, func(c *cell, v float64) { // nor did anything come back from the echo
			c.ReachedPerS, c.Response = v, results.Distribution{}
			c.Floor.Echo = results.FloorRun{OfferedPerS: 1000}
		}, "0/s done (0.0 %): but this client got no message back in time from a TCP echo either: it is the limit"},
		{results.CodeLag, results.Valid, 1.1, 1, func(c *cell, v float64) {
			setValue(&c.Lag, 99, time.Duration(v*float64(ms)))
		}, "lag p99 is 1.10 ms of a response p99 of 10.0 ms (11 %)"},
		{results.CodeLag, results.Valid, 6, 1, func(c *cell, v float64) {
			setValue(&c.Lag, 50, time.Duration(v)*ms)
		}, "lag p50 is 6.00 ms of a response p50 of 10.0 ms"},
		{results.CodeHeld, results.Valid, 6, 1, func(c *cell, v float64) {
			setValue(&c.Held, 50, time.Duration(v)*ms)
			c.HeldByOthers = 0.49
		}, "held p50 is 6.00 ms of a response p50 of 10.0 ms"},
		{results.CodeHeld, results.Valid, 6, 1, func(c *cell, v float64) {
			setValue(&c.Held, 50, time.Duration(v)*ms)
			c.HeldByOthers = 0.5
		}, "held p50 is 6.00 ms of a response p50 of 10.0 ms (60 %); 50 % of that time went to other connections"},
		{results.CodeHeld, results.Valid, 9, 8, func(c *cell, v float64) {
			setValue(&c.Response, 99, 80*ms)
			setValue(&c.Held, 99, time.Duration(v)*ms)
			c.HeldByOthers = 1
		}, "held p99 is 9.00 ms"},
		{results.CodeEvents, results.Suspect, 1, 0, func(c *cell, v float64) {
			c.Events = slices.Repeat([]results.Event{{Text: "reconnected"}}, int(v))
		}, "reconnected"},
		{results.CodeWindow, results.Valid, 99.9, 99, func(c *cell, v float64) {
			c.Plan.Settings.Duration, c.Plan.Settings.Percentiles = 9*time.Second, []float64{50, 99, v}
			set(&c.Response, 99.9, untrusted)
		}, "p99.9 has 9 messages above it, fewer than 10: a window of 10s would do"},
		{results.CodeWindow, results.Valid, 0.1, 1000, func(c *cell, v float64) {
			c.Plan.Shape.Rate = schedule.Rate(v)
			set(&c.Response, 99.9, untrusted)
			c.Plan.Settings.Percentiles = []float64{99.9}
			if v == 1000 {
				c.Plan.Settings.Percentiles = []float64{99}
			}
		}, "fewer than 10: a window of 27h46m40s would do"},
		{results.CodeSamples, results.Valid, 0, 1, func(c *cell, v float64) {
			c.Plan.Settings.Percentiles = slices.Repeat([]float64{99}, int(v)) // none: the default
			set(&c.Response, 99.9, untrusted)
		}, "p99.9 has 9 messages above it"},
		{results.CodeFloor, results.Valid, 7500, 990, func(c *cell, v float64) {
			setValue(&c.Floor.Echo.Response, 50, time.Duration(v)*time.Microsecond)
		}, "p50 is 10.0 ms, and a TCP echo in place of the broker takes 7.50 ms (75 %): most of it"},
		{results.CodeFloor, results.Valid, 7400, 990, func(c *cell, v float64) {
			setValue(&c.Floor.Echo.Response, 50, time.Duration(v)*time.Microsecond)
		}, "p50 is 10.0 ms, and a TCP echo in place of the broker takes 7.40 ms (74 %): so much of it"},
		{results.CodeHiccups, results.Valid, 5, 4, func(c *cell, v float64) {
			c.Tail.WithHiccup = int(v)
		}, "of the 10 seconds with responses of 10.0 ms or more, 5 also held a hiccup"},
		{results.CodeHiccups, results.Valid, 5, 4, func(c *cell, v float64) {
			c.Tail.Ordinary = 0
			setValue(c.Hiccup, 99.9, time.Duration(v)*ms)
		}, "p99.9 of the response is 10.0 ms, and that of hiccups of this process 5.00 ms"},
		{results.CodeProcessCPU, results.Valid, 3.2, 3.1, func(c *cell, v float64) { c.Usage.Process.CPUCores = v }, "3.20 of the 4 cores that it may use"},
		{results.CodeMachineCPU, results.Valid, 3.7, 3.5, func(c *cell, v float64) {
			c.Usage.Machine.BusyCores = v
		}, "3.70 of 4 cores, 0.50 of them by brokerbench"},
		{results.CodeMachineCPU, results.Valid, 1.8, 1.7, func(c *cell, v float64) { // two of 64 CPUs are ours
			c.Usage.Machine.CPUs, c.Usage.Machine.Confined = 64, &results.CPUUsage{CPUs: 2, BusyCores: v}
		}, "1.80 of 2 cores"},
		{results.CodeSteal, results.Valid, 0.011, 0.01, func(c *cell, v float64) { c.Usage.Machine.StealCores = v }, "1.1 % of the CPU time that was wanted here: 0.01 cores, with 1.00 in use"},
		// On 64 cores, 2 in use: half a per cent of the machine, 13 % of what was wanted.
		{results.CodeSteal, results.Valid, 0.3, 0.02, func(c *cell, v float64) {
			c.Usage.Machine.CPUs, c.Usage.Machine.BusyCores, c.Usage.Machine.StealCores = 64, 2, v
		}, "13.0 % of the CPU time that was wanted here"},
		{results.CodeSteal, results.Valid, 0.2, 0.001, func(c *cell, v float64) { // others are busy elsewhere
			c.Usage.Machine.CPUs, c.Usage.Machine.BusyCores, c.Usage.Machine.StealCores = 64, 40, 0.3
			c.Usage.Machine.Confined = &results.CPUUsage{CPUs: 2, BusyCores: 1, StealCores: v}
		}, "16.7 %"},
		// A second in which one tick of the counter, or five, went to others.
		{results.CodeSteal, results.Valid, 0.05, 0.04, func(c *cell, v float64) {
			c.Usage.ToNS, c.Usage.Machine.StealCores = int64(time.Second), v
		}, "4.8 %"},
		{results.CodeThrottled, results.Valid, 5, 0, func(c *cell, v float64) {
			c.Usage.Machine.ThrottledNS = new(int64(v) * int64(ms))
		}, "ran out: it stopped cores for 5.00 ms"},
		// A pod of half a core on a node of four.
		{results.CodeProcessCPU, results.Valid, 0.5, 0.7, func(c *cell, v float64) { c.UsableCores = v }, "0.50 of the 0.5 cores"},
	} {
		c := good()
		tt.set(c, tt.at)
		if tt.code != results.CodeLedger {
			c.Response.Count = c.Ledger.Done
		}
		c.Judge(problems(c, calm, atEnd))
		if len(c.Problems) != 1 || c.Problems[0].Code != tt.code || c.Verdict != tt.want || !strings.Contains(c.Problems[0].Text, tt.says) {
			t.Errorf("%s: %s, %+v; want %s, saying %q", tt.code, c.Verdict, c.Problems, tt.want, tt.says)
		}
		tt.set(c, tt.nearly)
		c.Response.Count = c.Ledger.Done
		if c.Judge(problems(c, calm, atEnd)); c.Problems != nil {
			t.Errorf("%s objects to what is nearly its case: %+v", tt.code, c.Problems)
		}
	}
}

// On a machine that is short of CPU nobody knows who was late at the end.
func TestAShortMachineIsNotTheTarget(t *testing.T) {
	c := good()
	c.ReachedPerS, c.Usage.Machine.BusyCores = 989, float64(c.Usage.Machine.CPUs)
	c.Judge(problems(c, calm, atEnd))
	if p, _ := c.Problem(results.CodeRate); p.Severity != results.Suspect || strings.Contains(p.Text, "the target was behind") || !strings.Contains(p.Text, "not decided") {
		t.Errorf("%+v", c.Problems)
	}
}

// A sender that never waited left messages unsent: the target did not hold it up.
func TestUnsentMessagesOfABusySender(t *testing.T) {
	for cores, want := range map[float64]string{0.9: "this client sent all the time, and 60000 messages were left unsent: it is the limit", 0.3: "the target does not carry"} {
		c := good()
		c.ReachedPerS, c.SenderCores, c.Response.MaxNS = 400, cores, int64(20*ms)
		c.Ledger = results.Ledger{Due: 100_000, Done: 40_000, Unsent: 60_000}
		if p := rate(c); p.Severity != results.Invalid || !strings.Contains(p.Text, want) {
			t.Errorf("%g cores: %+v, want %q", cores, p, want)
		}
	}
}

// with returns calm Environment but for one thing.
func with(change func(*Environment)) Environment {
	s := calm
	change(&s)
	return s
}

func TestRulesAboutTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		environment Environment
		code        results.Code
		want        results.Verdict
	}{
		{with(func(s *Environment) { s.Clock = "hpet" }), results.CodeClock, results.Valid},
		{with(func(s *Environment) { s.Clock = "acpi_pm" }), results.CodeClock, results.Valid},
		{with(func(s *Environment) { s.Clock = "kvm-clock" }), "", results.Valid},
		{with(func(s *Environment) { s.Clock = "" }), "", results.Valid},
		// The response p50 is 10 ms.
		{with(func(s *Environment) { s.OS, s.Clock, s.Step = "windows", "", ms }), results.CodeClock, results.Valid},
		{with(func(s *Environment) { s.OS, s.Clock, s.Step = "windows", "", ms/2 }), "", results.Valid},
		{with(func(s *Environment) { s.Step = 0 }), "", results.Valid},
		{calm, "", results.Valid},
		{with(func(s *Environment) { s.Shared = true }), results.CodeSharedMachine, results.Valid},
	} {
		c := good()
		c.Judge(problems(c, tt.environment, atEnd))
		code := results.Code("")
		if len(c.Problems) > 0 {
			code = c.Problems[0].Code
		}
		if code != tt.code || c.Verdict != tt.want {
			t.Errorf("%+v: %s, %+v; want %s by %q", tt.environment, c.Verdict, c.Problems, tt.want, tt.code)
		}
	}
}

// Every rule has a code of its own, which the documentation explains.
func TestEveryRuleIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/methodology.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[results.Code]bool)
	for _, r := range calm.rules(good()) {
		if seen[r.code] || !strings.Contains(string(text), "`"+string(r.code)+"`") {
			t.Errorf("%s: there twice: %v, or not in docs/methodology.md", r.code, seen[r.code])
		}
		seen[r.code] = true
	}
}

// codes lists the problems that are more than notes.
func codes(list []results.Problem) string {
	var names []string
	for _, p := range list {
		if p.Severity != results.Valid {
			names = append(names, string(p.Code))
		}
	}
	return strings.Join(names, " ")
}

// A cell that has ended is judged by the rules of a running one, and by more.
func TestRunningRulesAreAmongAll(t *testing.T) {
	c := good()
	c.Interrupted, c.Ledger.Done, c.ReachedPerS = true, c.Ledger.Due-1, 500
	all, some := codes(problems(c, with(func(s *Environment) { s.Clock = "hpet" }), atEnd)), codes(problems(c, with(func(s *Environment) { s.Clock = "hpet" }), running))
	if some != "rate" || all != "ledger missing rate" {
		t.Errorf("running %q, all %q", some, all)
	}
}

// The drain of a backlog limits the percentiles above which there are as few messages as were due in it.
func TestADrainLimitsWhatItReaches(t *testing.T) {
	c := good()
	c.Backlog = &results.Backlog{Phases: []results.BacklogPhase{{Phase: "during", Due: 1500}}}
	c.Judge(problems(c, calm, atEnd))
	p, _ := c.Problem(results.CodeDrain)
	for _, l := range p.Limits {
		if slices.Min(l.Percentiles) != 99 || slices.Contains(l.Percentiles, 95) {
			t.Errorf("%s: %v", l.Series, l.Percentiles)
		}
	}
	if len(p.Limits) == 0 || c.Verdict != results.Valid {
		t.Errorf("%+v, %s", p, c.Verdict)
	}
}
