package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// measuredAt returns a cell that reached its 1,000/s.
func measuredAt(response time.Duration) *results.Cell {
	return &results.Cell{
		Plan: plan.Cell{Shape: plan.Shape{Rate: 1000}, Settings: plan.Settings{Duration: time.Minute}}, OfferedPerS: 1000, ReachedPerS: 1000,
		Ledger:   results.Ledger{Due: 5000, Done: 5000},
		Response: distribution(response), Service: distribution(response), Lag: distribution(time.Microsecond), Held: distribution(0),
	}
}

func found(code results.Code, severity results.Verdict) results.Problem {
	return results.Problem{Code: code, Severity: severity, Text: "because of " + string(code)}
}

// doubted gives a cell a problem.
func doubted(code results.Code) func(*results.Cell) {
	return func(c *results.Cell) { c.Judge([]results.Problem{found(code, results.Suspect)}) }
}

// echo gives a cell a floor.
func echo(reached float64, response time.Duration) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Floor = &results.Floor{Echo: results.FloorRun{OfferedPerS: 1000, ReachedPerS: reached, Response: distribution(response)}}
	}
}

// kept stands for no culprit: the objective was kept.
const kept Culprit = ""

// overloaded makes a cell that reached only half of its rate.
func overloaded(c *results.Cell) {
	c.ReachedPerS = 500
	c.Judge([]results.Problem{found(results.CodeRate, results.Invalid)})
}

// behind makes a cell that was a little behind at the end.
func behind(c *results.Cell) {
	c.ReachedPerS = 970
	doubted(results.CodeRate)(c)
}

// heldFor makes an overloaded cell whose sender was held up for so long, and used so
// many cores; 0: not observed.
func heldFor(inside, service time.Duration, cores float64) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Held, c.Service = distribution(inside), distribution(service)
		c.SenderCores = cores
		c.Usage = &results.Usage{Process: results.ProcessUsage{CPUCores: 5}} // others take replies
		overloaded(c)
	}
}

func TestBlame(t *testing.T) {
	for _, tt := range []struct {
		name   string
		slo    string
		value  time.Duration
		change func(c *results.Cell)
		want   Culprit
		sure   bool
		reason string
	}{
		{"kept", "p99<5ms", 4 * ms, nil, kept, false, ""},
		{"missed", "p99<5ms", 6 * ms, nil, Target, false, ""},
		{"kept, but behind at the end", "p99<5ms", 4 * ms, behind, Target, false, "reached 970/s"},
		{"kept, and behind since it stood still at the end", "p99<5ms", 4 * ms, func(c *results.Cell) {
			c.Response.MaxNS = int64(90 * ms)
			behind(c)
		}, kept, false, ""},
		{"this process stood still at the end", "p99<5ms", 40 * ms, func(c *results.Cell) {
			c.Response.MaxNS, c.Hiccup = int64(200*ms), new(distribution(30*ms))
			behind(c)
		}, Machine, false, "hiccup p99 is 30ms"},
		{"an echo that stood still at the end", "p99<5ms", 6 * ms, func(c *results.Cell) {
			echo(900, ms)(c)
			c.Floor.Echo.Response.MaxNS = int64(100 * ms)
		}, Target, false, ""},
		{"a lag that is missed", "lag.p99<1ms", 20 * ms, func(c *results.Cell) { c.Lag = distribution(2 * ms) }, Client, false, "lag is the generator's own"},
		{"a rate that may be behind", "rate>95%", 4 * ms, behind, kept, false, ""},
		{"an overload", "p99<5s", 4 * ms, overloaded, Target, true, "reached 500/s"},
		{"an overload in which the sender was held up", "p99<5ms", 400 * ms, heldFor(390*ms, 400*ms, 0), Target, true, "reached 500/s; its client held up the sender: held p50 is 390ms"},
		{
			"a sender that was held up, and answered at once", "p99<5ms", 400 * ms, heldFor(390*ms, ms, 0), Client, false,
			"reached 500/s; the client library kept the sender busy: held p50 is 390ms, service p50 1ms",
		},
		{"a sender that was held up and busy", "p99<5ms", 400 * ms, heldFor(390*ms, ms, 0.9), Client, false, "the client library kept the sender busy"},
		{"a sender that was held up and idle", "p99<5ms", 400 * ms, heldFor(390*ms, ms, 0.3), Target, true, "reached 500/s; its client held up the sender"},
		{"an overload of the generator alone", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Lag = distribution(200 * ms)
			overloaded(c)
		}, Client, false, "reached 500/s; the generator was late: lag p50 is 200ms"},
		{"of two senders one idles", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Plan.Settings.Senders = 2
			heldFor(390*ms, ms, 1)(c)
		}, Target, true, "reached 500/s"},
		{"held up a little, and answered at once", "p99<5ms", 400 * ms, heldFor(190*ms, ms, 0), Target, true, ""},
		{"missed on a machine without a core to spare", "p99<5ms", 6 * ms, doubted(results.CodeMachineCPU), Target, false, "because of machine-cpu"},
		{"an overload of a machine without a core to spare", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.ReachedPerS = 500
			c.Judge([]results.Problem{found(results.CodeRate, results.Invalid), found(results.CodeMachineCPU, results.Suspect)})
		}, Target, true, "reached 500/s; because of machine-cpu"},
		{"an overload that a TCP echo has, too", "p99<5ms", 400 * ms, func(c *results.Cell) {
			overloaded(c)
			echo(600, 300*ms)(c)
		}, Client, false, "only 600/s against a TCP echo"},
		{"a floor that is above the limit", "p99<5ms", 6 * ms, echo(1000, 5500*time.Microsecond), Client, false, "TCP echo in place of the target has p99 5.5ms"},
		{"a floor below the limit", "p99<5ms", 6 * ms, echo(1000, ms), Target, false, ""},
		{"kept above a bad floor", "p99<5ms", 4 * ms, echo(10, time.Second), kept, false, ""},
		{"no core left", "p99<5ms", 6 * ms, doubted(results.CodeProcessCPU), Client, false, "because of process-cpu"},
		{"late", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Lag = distribution(3 * ms) }, Client, false, "lag p99 is 3ms"},
		{"a little late", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Lag = distribution(2 * ms) }, Target, false, ""},
		{"held up by a target that took no more", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Held = distribution(3 * ms) }, Target, false, "its client held up the sender: held p99 is 3ms"},
		{"held up by a busy client", "p99<5ms", 60 * ms, func(c *results.Cell) {
			c.Held, c.Service = distribution(59*ms), distribution(ms)
		}, Client, false, "kept the sender busy: held p99 is 59ms, service p99 1ms"},
		{"held up a little", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Held = distribution(2 * ms) }, Target, false, ""},
		{"hiccups as long as half of it", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Hiccup = new(distribution(3 * ms)) }, Machine, false, "hiccup p99 is 3ms"},
		{"shorter hiccups", "p99<5ms", 6 * ms, func(c *results.Cell) { c.Hiccup = new(distribution(2 * ms)) }, Target, false, ""},
		{"an overload with hiccups", "p99<5ms", 400 * ms, func(c *results.Cell) {
			c.Hiccup = new(distribution(300 * ms))
			overloaded(c)
		}, Target, true, ""},
		{"stolen from a high percentile", "p99.9<5ms", 6 * ms, doubted(results.CodeSteal), Machine, false, "because of steal"},
		{"what is stolen does not move the median", "p50<5ms", 6 * ms, doubted(results.CodeSteal), Target, false, ""},
		{"too few messages", "p99.9<5ms", 4 * ms, func(c *results.Cell) {
			c.Response.Percentiles[5].Trusted, c.Response.Percentiles[5].HighNS = false, nil
		}, Nobody, false, "the limit is inside the interval"},
		{"lost", "loss<50%", 4 * ms, func(c *results.Cell) {
			c.Ledger.Done, c.Ledger.Lost = 4000, 1000
			c.Judge([]results.Problem{found(results.CodeMissing, results.Invalid)})
		}, Target, false, "because of missing"},
		{"clamped", "p50<1h", 4 * ms, func(c *results.Cell) {
			c.Judge([]results.Problem{found(results.CodeClamped, results.Invalid)})
		}, Nobody, false, "the cell is invalid"},
	} {
		c := measuredAt(tt.value)
		o, err := plan.ParseObjective(tt.slo)
		if err != nil {
			t.Fatal(err)
		}
		c.Plan.SLOs = []plan.Objective{o}
		if tt.change != nil {
			tt.change(c)
		}
		SLOs(c)
		var got Cause
		if !Kept(c, c.SLOs[0]) {
			got = Blame(c, c.SLOs[0])
		}
		if got.Culprit != tt.want || got.Sure != tt.sure || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%s: %+v, want %s (sure %v) because %q", tt.name, got, tt.want, tt.sure, tt.reason)
		}
	}
}
