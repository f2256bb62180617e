package compare_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/results"
)

// gate compares by one condition and returns what it says of the first pair.
func gate(t *testing.T, base, next *compare.Set, text string) compare.Gate {
	t.Helper()
	c := compared(t, base, next, compare.Options{FailOn: []compare.Condition{condition(t, text)}})
	if got := c.FailOn[0].Condition; len(c.FailOn) != 1 || got != text {
		t.Errorf("condition %q, want %q", got, text)
	}
	return c.FailOn[0].Gates[0]
}

// five returns repeats that vary by so much around a scale.
func five(scale, by float64, change ...func(*results.Cell)) (trials []compare.Trial) {
	for i := range 5 {
		trials = append(trials, made(i+1, scale*(1+by*float64(i-2)), change...))
	}
	return trials
}

// A gate passes only if the whole interval is below the limit, and fails only if it is
// above.
func TestGates(t *testing.T) {
	slower, same, bad := set(five(1.5, 0.005)...), set(five(1, 0.005)...), set(five(1.5, 0.005, judged(results.Invalid))...)
	noisy := set(five(2, 0.25)...)
	one := set(withSeries(made(1, 5), 30))
	for _, c := range []struct {
		name, condition string
		base, next      *compare.Set
		want            compare.Result
		says            string
	}{
		{name: "slower by more", condition: "p99>10%", base: same, next: slower, want: compare.Failed},
		{name: "slower by less: up to the interval's end", condition: "p99>60%", base: same, next: slower, want: compare.Passed},
		{name: "the limit inside the interval", condition: "p99>50.1%", base: same, next: slower, want: compare.NotDecided},
		{name: "faster", condition: "p99>0%", base: slower, next: same, want: compare.Passed},
		{name: "the same", condition: "p99>10%", base: same, next: same, want: compare.Passed},
		{name: "the same, by nothing at all", condition: "p99>0%", base: same, next: same, want: compare.NotDecided},
		{name: "twice, but so noisy that nothing is shown", condition: "p99>60%", base: set(five(1, 0.25)...), next: noisy, want: compare.NotDecided},
		{name: "INVALID", condition: "p99>10%", base: same, next: bad, want: compare.NotDecided, says: "NEW repeat 1 is INVALID"},
		{name: "a percentile that is not shown otherwise", condition: "p95>10%", base: same, next: slower, want: compare.Failed},
		{name: "too few messages above it in all runs", condition: "p99.999>10%", base: same, next: slower, want: compare.NotDecided, says: "fewer than 10"},
		{name: "one run a side, however far apart", condition: "p50>10%", base: set(withSeries(made(1, 1), 30)), next: one, want: compare.NotDecided, says: "one run a side"},
		{name: "maximum", condition: "max>40%", base: same, next: slower, want: compare.Failed},
		{name: "maximum by less", condition: "max>60%", base: same, next: slower, want: compare.Passed},
		{name: "maximum of too few runs", condition: "max>40%", base: same, next: set(slower.Trials[:2]...), want: compare.NotDecided, says: "5 runs against 2 are too few"},
	} {
		got := gate(t, c.base, c.next, c.condition)
		if got.Result != c.want || !strings.Contains(got.Reason, c.says) || got.Result != compare.NotDecided && got.Reason != "" {
			t.Errorf("%s: %s: %+v, want %s %s", c.name, c.condition, got, c.want, c.says)
		}
	}
}

// Gates are a family of their own: the interval of one gate among many is wider.
func TestGatesShareTheirConfidence(t *testing.T) {
	base, next := joined(five(1, 0.1), five(1, 0.1, rate(2000))), joined(five(1, 0.1), five(1, 0.1, rate(2000)))
	var o compare.Options
	for _, text := range []string{"p99>10%", "p50>10%", "max>10%", "loss>1%"} {
		o.FailOn = append(o.FailOn, condition(t, text))
	}
	c := compared(t, base, next, o)
	// Loss was decided at the first level: 6 of 8 are left.
	if c.JudgedGates != 8 || c.FailOn[3].Count(compare.Passed) != 2 || c.FailOn[0].Gates[1].Level != 1-0.05/6 {
		t.Errorf("%d judged together: %+v", c.JudgedGates, c.FailOn)
	}
	if c.Judged != 6 || c.Pairs[0].Rows[0].Level != 1-0.05/6 {
		t.Errorf("%d rows judged together, of level %v", c.Judged, c.Pairs[0].Rows[0].Level)
	}
}

// Loss is the difference of the shares of messages that are not done; runs that lose
// all at once say little about the share.
func TestLossGate(t *testing.T) {
	none, some := five(1, 0.01), five(1, 0.01, lost(60)) // 60 of 12,060 are 0.5 %
	once := five(1, 0.01)
	once[3] = made(4, 1, lost(300))
	for _, c := range []struct {
		name, condition string
		base, next      []compare.Trial
		want            compare.Result
	}{
		{"none", "loss>0.1%", none, none, compare.Passed},
		{"in each run", "loss>0.1%", none, some, compare.Failed},
		{"in each run, less than allowed", "loss>1%", none, some, compare.Passed},
		{"on both sides", "loss>0.01%", some, some, compare.NotDecided},
		{"all in one run", "loss>0.1%", none, once, compare.NotDecided},
		{"in a run that lost so many that it is INVALID", "loss>0.1%", none, five(1, 0.01, lost(9000), judged(results.Invalid)), compare.Failed},
		{"in a run that was interrupted", "loss>0.1%", none, five(1, 0.01, func(c *results.Cell) { c.Interrupted = true }), compare.NotDecided},
		{"one run", "loss>0.1%", none, some[:1], compare.NotDecided},
		{"in a run in which nothing was due", "loss>0.1%", none, five(1, 0.01, func(c *results.Cell) { c.Ledger = results.Ledger{} }), compare.NotDecided},
	} {
		got := gate(t, set(c.base...), set(c.next...), c.condition)
		if got.Result != c.want || c.name == "none" && got.Unseen != "up to 45 % of runs may lose messages though 5 lost none" {
			t.Errorf("%s: %s: %+v, want %s", c.name, c.condition, got, c.want)
		}
	}
}

// paused has so many pauses of 200 ms in a window of a minute.
func paused(n int64) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Pauses = &results.Pauses{LeastNS: 1e8, Count: n, Seconds: n, WindowNS: 60e9}
		for range n {
			c.Pauses.Longest = append(c.Pauses.Longest, results.Pause{ForNS: 2e8})
		}
	}
}

func TestPausesGate(t *testing.T) {
	none, few, many := five(1, 0.01, paused(0)), five(1, 0.01, paused(1)), five(1, 0.01, paused(9))
	for _, c := range []struct {
		condition  string
		base, next []compare.Trial
		want       compare.Result
	}{
		{"pauses>50%", few, many, compare.Failed},
		{"pauses>50%", many, few, compare.Passed},
		{"pauses>50%", few, few, compare.NotDecided},
		{"pauses>50%", none, none, compare.NotDecided}, // of nothing there is no ratio
		{"pauses>1/min", none, none, compare.Passed},   // at most 3.7 in 5 minutes
		{"pauses>0.5/min", none, none, compare.NotDecided},
		{"pauses>1/min", few, many, compare.Failed},
		{"pauses>20/min", few, many, compare.Passed},
		{"pauses>1/min", none, five(1, 0.01), compare.NotDecided}, // not counted
	} {
		if got := gate(t, set(c.base...), set(c.next...), c.condition); got.Result != c.want {
			t.Errorf("%s: %+v, want %s", c.condition, got, c.want)
		}
	}
}

// A cell that is gone from NEW cannot pass.
func TestConditionOfACellThatIsGone(t *testing.T) {
	base, next := joined(three(1, rate(10)), three(1, rate(20))), joined(three(1, rate(10)), three(1, rate(30)), three(1, rate(40)))
	c := compared(t, base, next, compare.Options{FailOn: []compare.Condition{condition(t, "p50>10%")}})
	got := c.FailOn[0].Gates[1]
	if got.ID != "nats-20-1024B-c1-fopen" || got.Result != compare.NotDecided || got.Reason != "NEW lacks it" {
		t.Errorf("%+v, of %v", got, c.Unpaired)
	}
}
