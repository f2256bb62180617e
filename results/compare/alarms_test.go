package compare_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results/compare"
)

// seeds of every statistical test, 0 to 99: they were not chosen.
const seeds = 100

// answers compares and returns each percentile's answer.
func answers(t *testing.T, base, next *compare.Set) map[float64]compare.Answer {
	t.Helper()
	byPercentile := make(map[float64]compare.Answer)
	for _, row := range compared(t, base, next, compare.Options{}).Pairs[0].Rows {
		if row.Answer == compare.NotComparable {
			t.Fatalf("p%v: %s", row.Percentile, row.Reason)
		}
		byPercentile[row.Percentile] = row.Answer
	}
	return byPercentile
}

// differs tells whether an answer says so.
func differs(a compare.Answer) bool { return a == compare.Slower || a == compare.Faster }

// alarm returns 1 if any percentile is said to differ, else 0.
func alarm(answers map[float64]compare.Answer) int {
	return one(slices.ContainsFunc(slices.Collect(maps.Values(answers)), differs))
}

// wantFew wants at most 7 false alarms.
func wantFew(t *testing.T, alarms int, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	t.Logf("%s: %d false alarms of %d", what, alarms, seeds)
	if alarms > 7 {
		t.Errorf("%s: %d false alarms of %d, want at most 7", what, alarms, seeds)
	}
}

// TestFalseAlarmsOfHalves compares the halves of one run with each other: of 100,
// at most 7 may be told apart by any percentile. Halves that follow each other are
// the harder case, as a memory of many seconds is in one of them.
func TestFalseAlarmsOfHalves(t *testing.T) {
	statistical(t)
	for _, s := range []system{
		{intervals: 60, ops: 400},
		{intervals: 80, ops: 300, phi: 0.8, slow: 0.1},
		{intervals: 60, ops: 400, phi: 0.5, slow: 0.02},
	} {
		contiguous, alternate := 0, 0
		for seed := range uint64(seeds) {
			var parts [4]*recorder // the first half, the second, even seconds, odd ones
			for i := range parts {
				parts[i] = newRecorder()
			}
			s.run(rand.New(rand.NewPCG(seed, 0)), 1, 1, func(number int, h *histogram.Histogram) {
				parts[2*number/s.intervals].add(h)
				parts[2+number%2].add(h)
				h.Reset()
			})
			contiguous += alarm(answers(t, set(parts[0].trial(1)), set(parts[1].trial(1))))
			alternate += alarm(answers(t, set(parts[2].trial(1)), set(parts[3].trial(1))))
		}
		wantFew(t, contiguous, "%+v: halves", s)
		wantFew(t, alternate, "%+v: alternate seconds", s)
	}
}

// TestFalseAlarmsOfRepeats compares repeats of the same thing with each other,
// which differ between runs by more than within them.
func TestFalseAlarmsOfRepeats(t *testing.T) {
	statistical(t)
	s := system{intervals: 20, ops: 510, phi: 0.5, slow: 0.02, between: 0.03}
	cases := []struct{ base, next, alarms int }{{2, 2, 0}, {3, 3, 0}, {5, 5, 0}, {5, 1, 0}, {1, 3, 0}}
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		base, next := s.repeats(rng, 5, 1, 1, true), s.repeats(rng, 5, 1, 1, true)
		for i, c := range cases {
			cases[i].alarms += alarm(answers(t, set(base[:c.base]...), set(next[:c.next]...)))
		}
	}
	for _, c := range cases {
		wantFew(t, c.alarms, "%d against %d repeats", c.base, c.next)
	}
}

// TestAShiftIsFound wants a p99 that is 10 % higher to be found with five repeats of
// a minute in at least 90 of 100 comparisons, whether all latencies are higher or
// the tail alone.
func TestAShiftIsFound(t *testing.T) {
	statistical(t)
	s := system{intervals: 60, ops: 1000, phi: 0.5, slow: 0.005, between: 0.025}
	type shift struct {
		name        string
		scale, tail float64
		quiet       float64 // a percentile that did not change; 0: none
		found       int
		wrong       int // p99 is said to be faster
		alarms      int // of the quiet one
	}
	shifts := []shift{{name: "all latencies", scale: 1.1, tail: 1}, {name: "the tail alone", scale: 1, tail: 1.1, quiet: 50}}
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 2))
		base := set(s.repeats(rng, 5, 1, 1, false)...)
		for i, c := range shifts {
			said := answers(t, base, set(s.repeats(rng, 5, c.scale, c.tail, false)...))
			shifts[i].found += one(said[99] == compare.Slower)
			shifts[i].wrong += one(said[99] == compare.Faster)
			shifts[i].alarms += one(differs(said[c.quiet]))
		}
	}
	for _, c := range shifts {
		t.Logf("%s 10 %% slower, %.1f %% between runs: p99 found in %d of %d, said to be faster in %d; p50 false in %d",
			c.name, 100*s.between, c.found, seeds, c.wrong, c.alarms)
		if c.found < 90 || c.wrong > 0 || c.alarms > 7 {
			t.Errorf("%+v of %d", c, seeds)
		}
	}
}

// TestDriftOfTheMachine has a machine whose speed wanders from run to run, as noisy
// neighbours and temperature make it: a random walk in steps of 2 %. Repeats by
// turns are compared at the promised rate. Repeats in a row are not, which is the
// limit that the package comment tells of: there it is only printed.
func TestDriftOfTheMachine(t *testing.T) {
	statistical(t)
	s := system{intervals: 20, ops: 510, phi: 0.5, slow: 0.02, between: 0.01}
	turns, inARow := 0, 0
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var runs []compare.Trial
		speed := 1.0
		for range 10 {
			runs = append(runs, s.repeats(rng, 1, speed, 1, false)...)
			speed *= math.Exp(0.02 * rng.NormFloat64())
		}
		var even, odd []compare.Trial
		for i := 0; i < len(runs); i += 2 {
			even, odd = append(even, runs[i]), append(odd, runs[i+1])
		}
		turns += alarm(answers(t, set(even...), set(odd...)))
		inARow += alarm(answers(t, set(runs[:5]...), set(runs[5:]...)))
	}
	t.Logf("drifting machine, 5 against 5 repeats in a row: %d false alarms of %d", inARow, seeds)
	wantFew(t, turns, "drifting machine, 5 against 5 repeats by turns")
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// statistical marks a test that draws its data. Such tests share nothing, and run
// side by side.
func statistical(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("one goroutine, ten times slower: run it without the race detector")
	}
	t.Parallel()
}
