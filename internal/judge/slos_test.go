package judge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// objectives parses objectives that are known to be good.
func objectives(t *testing.T, texts ...string) (list []plan.Objective) {
	t.Helper()
	for _, text := range texts {
		o, err := plan.ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

// By the value alone an SLO is decided where its interval leaves it open, but not without a value, and not
// in an invalid cell.
func TestSLOsByTheValueAlone(t *testing.T) {
	low, value, high := int64(4*time.Millisecond), int64(5*time.Millisecond), int64(7*time.Millisecond)
	for _, tt := range []struct {
		objective string
		verdict   results.Verdict
		want      results.Outcome
	}{
		{"p50<6ms", results.Suspect, results.Passed},
		{"p50<5ms", results.Suspect, results.Missed},
		{"p99<6ms", results.Valid, results.Passed},
		{"p99.9<1h", results.Valid, results.Missed},
		{"p50<6ms", results.Invalid, results.Inconclusive},
		{"p50<5ms", results.Invalid, results.Missed},
	} {
		c := &results.Cell{
			Plan:    plan.Cell{SLOs: objectives(t, tt.objective), Settings: plan.Settings{Duration: time.Minute, SLOObserved: true}},
			Verdict: tt.verdict, Ledger: results.Ledger{Due: 1000, Done: 1000},
			Response: results.Distribution{Percentiles: []results.Percentile{
				{Percentile: 50, ValueNS: &value, LowNS: &low, HighNS: &high, Trusted: true}, {Percentile: 99, ValueNS: &value, SamplesAbove: 3}, {Percentile: 99.9, SamplesAbove: 1},
			}},
		}
		judge.SLOs(c)
		if c.SLOs[0].Outcome != tt.want {
			t.Errorf("%s of a cell that is %s: %+v, want %s", tt.objective, tt.verdict, c.SLOs[0], tt.want)
		}
	}
}

func TestSLOs(t *testing.T) {
	low, value, high := int64(4*time.Millisecond), int64(5*time.Millisecond), int64(7*time.Millisecond)
	cell := func() *results.Cell {
		return &results.Cell{
			Plan:    plan.Cell{Settings: plan.Settings{Duration: time.Minute}},
			Verdict: results.Suspect, OfferedPerS: 1000, ReachedPerS: 995, Ledger: results.Ledger{Due: 1000, Done: 990, Lost: 10},
			Response: results.Distribution{Percentiles: []results.Percentile{
				{Percentile: 50, ValueNS: &value, LowNS: &low, HighNS: &high, Trusted: true},
				{Percentile: 90, ValueNS: &value, LowNS: &low, Trusted: true},
				{Percentile: 99, ValueNS: &value, SamplesAbove: 3},
				{Percentile: 99.9, SamplesAbove: 1},
				{Percentile: 100, ValueNS: &high},
			}},
			Lag:  results.Distribution{Percentiles: []results.Percentile{{Percentile: 99, ValueNS: &low, Trusted: true}}},
			Held: results.Distribution{Percentiles: []results.Percentile{{Percentile: 99, ValueNS: &value, Trusted: true}}},
		}
	}
	for _, tt := range []struct {
		objective string
		want      results.Outcome
		says      string
	}{
		{"p50<8ms", results.Passed, "5ms (95 %: 4ms–7ms)"},
		{"p50<7ms", results.Inconclusive, "the limit is inside the interval"},
		{"p50<=7ms", results.Passed, "5ms"},
		{"p50<5ms", results.Inconclusive, "the limit is inside the interval"},
		{"p50<4ms", results.Missed, "5ms (95 %: 4ms–7ms)"},
		{"p90<1h", results.Inconclusive, "5ms (95 %: 4ms–∞); the limit is inside the interval"}, // nothing bounds it
		{"p90<4ms", results.Missed, "5ms"},
		{"p99<6ms", results.Inconclusive, "too short for an interval"},
		{"max<8ms", results.Passed, "7ms"},
		{"max<7ms", results.Missed, "7ms"},
		{"p99.9<1h", results.Missed, "unknown: missing messages rank there"},
		{"lag.p99<4ms", results.Missed, "4ms"},
		{"held.p99<5ms", results.Missed, "5ms"},
		{"loss<1%", results.Missed, "1 %"},
		{"loss<=1%", results.Passed, "1 %"},
		{"rate>99%", results.Passed, "99.5 %"},
		{"rate>=1000/s", results.Missed, "995/s"},
	} {
		c := cell()
		c.Plan.SLOs = objectives(t, tt.objective)
		judge.SLOs(c)
		if s := c.SLOs[0]; len(c.SLOs) != 1 || s.Outcome != tt.want || !strings.Contains(s.Text, tt.says) {
			t.Errorf("%s: %+v, want %s saying %q", tt.objective, s, tt.want, tt.says)
		}
		c.Verdict = results.Invalid
		judge.SLOs(c)
		want, says := tt.want, "" // what is missed stays missed, and nothing is passed
		if want == results.Passed {
			want, says = results.Inconclusive, "the cell is invalid"
		}
		if s := c.SLOs[0]; s.Outcome != want || !strings.Contains(s.Text, says) {
			t.Errorf("%s of an invalid cell: %+v", tt.objective, s)
		}
	}
}

// A pause that did not come would add to the time of each message of a user: a sum is passed only if the
// window excludes it.
func TestPausesThatDidNotComeBreakSums(t *testing.T) {
	for _, tt := range []struct {
		objective string
		message   time.Duration // the time of each message
		window    time.Duration
		want      results.Outcome
	}{
		{"user(50).sum.p95<300ms", time.Millisecond, 20 * time.Second, results.Inconclusive},
		{"user(50).sum.p95<300ms", 5 * time.Millisecond, 20 * time.Second, results.Inconclusive},
		{"user(50).sum.p95<300ms", 5 * time.Millisecond, 42 * time.Second, results.Passed}, // 3.0 × 690 ms ÷ 5 % = 41.3 s
		{"user(50).sum.p95<10s", time.Millisecond, 20 * time.Second, results.Passed},
		{"user(50).sum.p95<300ms", 250 * time.Millisecond, 20 * time.Second, results.Missed},
		{"user(50).p95<150ms", time.Millisecond, 20 * time.Second, results.Inconclusive},
		{"user(50).p95<200ms", time.Millisecond, 20 * time.Second, results.Passed},
	} {
		all := func(d time.Duration) results.Distribution {
			ns := int64(d)
			return results.Distribution{Count: 160, MaxNS: ns, Percentiles: []results.Percentile{{Percentile: 95, ValueNS: &ns, LowNS: &ns, HighNS: &ns, Trusted: true}}}
		}
		c := &results.Cell{
			Plan:    plan.Cell{Shape: plan.Shape{Rate: 400, Connections: 4}, SLOs: objectives(t, tt.objective), Settings: plan.Settings{Duration: tt.window}},
			Verdict: results.Valid, Ledger: results.Ledger{Due: 8000, Done: 8000},
			Users: []results.User{{Kind: plan.User{Messages: 50}, Due: 160, Worst: all(tt.message), Sum: new(all(50 * tt.message))}},
		}
		judge.SLOs(c)
		if c.SLOs[0].Outcome != tt.want {
			t.Errorf("%s, %v a message, in %v: %+v, want %s", tt.objective, tt.message, tt.window, c.SLOs[0], tt.want)
		}
	}
}
