package compare_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
)

// One stalled run of BASE does not hide that p99.9 doubled: it is named and left out.
func TestOneStalledRunDoesNotBlind(t *testing.T) {
	base, next := five(1, 0.02), five(2, 0.02)
	base[3] = made(4, 40)
	for _, swap := range []bool{false, true} {
		b, n, side, want := base, next, "BASE", compare.Slower
		if swap {
			b, n, side, want = next, base, "NEW", compare.Faster
		}
		got := row(t, compared(t, set(b...), set(n...), compare.Options{}).Pairs[0], 99.9)
		if got.Answer != want || len(got.Odd) != 1 || !got.Odd[0].LeftOut || got.Odd[0].Run != side+" r4" || !strings.Contains(got.Odd[0].Text, "469ms, the others 11.7ms") {
			t.Errorf("%+v", got)
		}
	}
}

// A run is left out only if it is odd for sure.
func TestRunsThatStay(t *testing.T) {
	with := func(trials []compare.Trial, repeat int, scale float64) []compare.Trial {
		trials[repeat-1] = made(repeat, scale)
		return trials
	}
	for _, c := range []struct {
		name       string
		base, next []compare.Trial
		odd        int
	}{
		{"four runs a side", with(five(1, 0.02), 2, 40)[:4], five(1, 0.02)[:4], 0},
		{"two stalled", with(with(five(1, 0.02), 2, 40), 3, 50), five(1, 0.02), 0},
		{"the runs of the other side are like it", with(five(1, 0.02), 2, 40), five(40, 0.02), 1},
		{"one up, one down", with(five(1, 0.02), 2, 40), with(five(40, 0.02), 2, 1), 2},
	} {
		got := row(t, compared(t, set(c.base...), set(c.next...), compare.Options{}).Pairs[0], 99)
		if len(got.Odd) != c.odd {
			t.Errorf("%s: odd %v, want %d", c.name, got.Odd, c.odd)
		}
		for _, o := range got.Odd {
			if o.LeftOut || !strings.Contains(o.String(), " is odd: ") {
				t.Errorf("%s: %s", c.name, o)
			}
		}
	}
}

// A run in which too few independent events are behind a percentile is left out of five,
// but not of three.
func TestARunWithFewEvents(t *testing.T) {
	thin := func(trials []compare.Trial, repeats ...int) []compare.Trial {
		for _, r := range repeats {
			rows := trials[r-1].Cell.Response.Percentiles
			for i := range rows {
				if rows[i].Percentile == 99.9 {
					rows[i].Trusted = false
				}
			}
		}
		return trials
	}
	for _, c := range []struct {
		name       string
		base, next []compare.Trial
		left, says string
	}{
		{"one of five", thin(five(1, 0.02), 3), five(2, 0.02), "BASE r3 left out: too few independent events above it", ""},
		{"one of five each", thin(five(1, 0.02), 3), thin(five(2, 0.02), 1), "NEW r1 left out: too few independent events above it", ""},
		{
			"one of five, and an odd run that stays", append(five(40, 0.02)[:4], made(5, 1)), thin(five(1, 0.02), 2),
			"NEW r2 left out: too few independent events above it", "",
		},
		{"two of five", thin(five(1, 0.02), 3, 4), five(2, 0.02), "", "BASE r3: too few independent events above it"},
		{"one of three", three(1), thin(three(2), 2), "", "NEW r2: too few independent events above it"},
	} {
		got := row(t, compared(t, set(c.base...), set(c.next...), compare.Options{}).Pairs[0], 99.9)
		if (c.left == "") != (got.Answer == compare.NotComparable) || got.Reason != c.says {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.left != "" && got.Odd[len(got.Odd)-1].String() != c.left {
			t.Errorf("%s: %v, want %s", c.name, got.Odd, c.left)
		}
	}
}

// Of runs by turns, the pair is left out.
func TestAnOddPair(t *testing.T) {
	base, next := five(1, 0.02), five(1.5, 0.02)
	base[1] = made(2, 40)
	turns(base, next, "turns")
	got := row(t, compared(t, set(base...), set(next...), compare.Options{}).Pairs[0], 50)
	if got.Answer != compare.Slower || len(got.Odd) != 1 || !got.Odd[0].LeftOut || got.Odd[0].Run != "turn 2" {
		t.Errorf("%+v", got)
	}
	// Four pairs that differ and one that does not: rather that one is as it should be.
	base, next = five(1, 0.001), five(3, 0.001)
	next[2] = made(3, 1)
	turns(base, next, "turns")
	got = row(t, compared(t, set(base...), set(next...), compare.Options{}).Pairs[0], 50)
	if len(got.Odd) != 1 || got.Odd[0].LeftOut || got.Odd[0].Run != "turn 3" {
		t.Errorf("%+v", got)
	}
}

// A percentile that the machine limits is compared, and says so.
func TestLimitsAreNamed(t *testing.T) {
	base, next := byTurns()
	got := row(t, compared(t, set(base...), set(next...), compare.Options{}).Pairs[0], 99.9)
	if len(got.LimitedBy) != 3 || got.Answer != compare.Slower {
		t.Errorf("%+v", got)
	}
}
