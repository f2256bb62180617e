package compare_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/results"
)

// stalls returns runs of which each had so many pauses.
func stalls(counts ...int64) (trials []compare.Trial) {
	for i, n := range counts {
		trials = append(trials, made(i+1, 1+0.01*float64(i), paused(n)))
	}
	return trials
}

// A stall in four of five new runs and none before is found, one more or less is not.
func TestPauses(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, next []compare.Trial
		want       compare.Answer
	}{
		{"four of five", stalls(0, 0, 0, 0, 0), stalls(1, 1, 0, 1, 1), compare.MorePauses},
		{"four of five before", stalls(2, 1, 0, 1, 1), stalls(0, 0, 0, 0, 0), compare.FewerPauses},
		{"three of five", stalls(0, 0, 0, 0, 0), stalls(1, 1, 0, 0, 1), compare.NoDifference},
		{"in all, and more in each", stalls(1, 2, 1, 3, 2), stalls(9, 8, 7, 12, 10), compare.MorePauses},
		{"in all, and many more in one", stalls(1, 2, 1, 3, 2), stalls(2, 1, 1, 900, 3), compare.NoDifference},
		{"none", stalls(0, 0, 0), stalls(0, 0, 0), compare.NoDifference},
		{"not counted in one run", stalls(0, 0, 0, 0, 0), append(stalls(1, 1, 1, 1), made(5, 1)), compare.NotJudged},
		{"one run", stalls(0, 0, 0, 0, 0), []compare.Trial{withSeries(made(1, 1, paused(9)), 12)}, compare.NotJudged},
	} {
		c2 := compared(t, set(c.base...), set(c.next...), compare.Options{})
		if got := c2.Pairs[0].Pauses; got.Answer != c.want || (got.Answer == compare.NotJudged) != (got.Reason != "") {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

// A target that pauses in every second has one long pause, which is not fewer than ten.
func TestAPauseInEverySecond(t *testing.T) {
	all := func(c *results.Cell) { c.Pauses = &results.Pauses{LeastNS: 1e8, Count: 1, Seconds: 60, WindowNS: 60e9} }
	got := compared(t, set(stalls(9, 10, 11, 10, 9)...), set(five(1, 0.01, all)...), compare.Options{}).Pairs[0].Pauses
	if got.Answer != compare.MorePauses || got.New.Seconds != 300 {
		t.Errorf("%+v", got)
	}
}

// Many pairs are judged together: four of five is not enough in one of two.
func TestPausesShareTheirConfidence(t *testing.T) {
	more := func(trials []compare.Trial) []compare.Trial {
		for i := range trials {
			rate(2000)(trials[i].Cell)
			trials[i].Cell.ID = trials[i].Cell.Plan.ID()
		}
		return trials
	}
	base := joined(stalls(0, 0, 0, 0, 0), more(stalls(0, 0, 0, 0, 0)))
	one := compared(t, base, joined(stalls(1, 1, 0, 1, 1), more(stalls(0, 0, 0, 0, 0))), compare.Options{})
	both := compared(t, base, joined(stalls(1, 1, 0, 1, 1), more(stalls(1, 1, 1, 1, 1))), compare.Options{})
	if one.JudgedPauses != 2 || one.Pairs[0].Pauses.Answer != compare.NoDifference {
		t.Errorf("one of two pairs: %+v", one.Pairs[0].Pauses)
	}
	// The pair in which all five stall is answered, which leaves all 5 % to the other.
	if both.Pairs[0].Pauses.Answer != compare.MorePauses || both.Pairs[1].Pauses.Answer != compare.MorePauses {
		t.Errorf("both pairs: %+v, %+v", both.Pairs[0].Pauses, both.Pairs[1].Pauses)
	}
}

// Runs that count from different lengths are compared from the longest of these on.
func TestPausesOfDifferentLengths(t *testing.T) {
	long := func(c *results.Cell) {
		c.Pauses = &results.Pauses{LeastNS: 1e8, Count: 3, Seconds: 5, WindowNS: 60e9, Longest: []results.Pause{
			{AtNS: 3e9, ForNS: 9e8}, {AtNS: 4e9, ForNS: 4e8}, {AtNS: 9e9, ForNS: 1.5e8}, {AtNS: 20e9, ForNS: 3e8}, {AtNS: 21e9, ForNS: 1.2e8},
		}}
	}
	from := func(c *results.Cell) { c.Pauses = &results.Pauses{LeastNS: 2e8, WindowNS: 60e9} }
	got := compared(t, set(five(1, 0.01, long)...), set(five(1, 0.01, from)...), compare.Options{}).Pairs[0].Pauses
	if got.Answer != compare.FewerPauses || got.Base.Seconds != 15 || got.Base.Runs != 5 || got.Base.LeastNS != 2e8 || got.New.Seconds != 0 {
		t.Errorf("%+v: %+v, %+v", got, got.Base, got.New)
	}
	unlisted := func(c *results.Cell) {
		long(c)
		c.Pauses.Seconds, c.Pauses.Longest = 900, []results.Pause{{AtNS: 3e9, ForNS: 9e8}}
	}
	got = compared(t, set(five(1, 0.01, unlisted)...), set(five(1, 0.01, from)...), compare.Options{}).Pairs[0].Pauses
	if got.Answer != compare.NotJudged || got.Reason != "BASE repeat 1: too many pauses to count those from 200ms" {
		t.Errorf("%+v", got)
	}
}
