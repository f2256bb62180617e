package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// simulatePower compares runs that differ.
func simulatePower(t *testing.T, p *simulation.Page) {
	p.Table("Runs that differ: how often the difference is found, as two samples and in turn. \"5 % slower, walk\": on a machine whose speed is a random "+
		"walk.", "difference", "noise", "runs", "p99 slower", "p99.9 slower", "in turn: p99", "p99.9")
	type row struct {
		name, noise string
		s           scenario
		want        float64 // percent of p99, by turns; 0: not checked
	}
	var rows []row
	for _, c := range []struct{ noise, runs float64 }{{1, 5}, {2.5, 3}, {2.5, 5}, {2.5, 8}, {4, 5}, {6, 5}, {6, 8}} {
		rows = append(rows, row{"10 % slower", fmt.Sprintf("%g %%", c.noise), scenario{world: world{noise: c.noise / 100}, base: int(c.runs), next: int(c.runs), c: change{scale: 1.1}}, 0})
	}
	// 8 degrees of freedom, a level of 1 − 0.05/3: t is 3.0 and 0.889.
	shows := math.Exp((3.016 + 0.889) * 0.05 * math.Sqrt(0.4))
	rows = append(
		rows,
		row{fmt.Sprintf("%.1f %% slower: what 5 runs show by their noise", 100*(shows-1)), "5 %", scenario{world: world{noise: 0.05}, base: 5, next: 5, c: change{scale: shows}}, 0},
		row{"5 % slower, walk: 5 % from turn to turn", "1 %", scenario{world: world{noise: 0.01}, base: 5, next: 5, c: change{scale: 1.05}, walk: 0.05}, 97},
		row{"5 % slower, walk: 5 % from run to run", "1 %", scenario{world: world{noise: 0.01}, base: 5, next: 5, c: change{scale: 1.05}, walk: 0.05, eachRun: true}, 0},
		row{"the tail doubled", "5 %", scenario{world: world{noise: 0.05}, base: 5, next: 5, c: change{tail: 2}}, 100},
		row{"the tail doubled", "40 %", scenario{world: world{noise: 0.34}, base: 5, next: 5, c: change{tail: 2}}, 0},
		row{"the tail doubled", "40 %", scenario{world: world{noise: 0.34}, base: 20, next: 20, c: change{tail: 2}}, 0},
	)
	for _, r := range rows {
		c := r.s.compare(t, times(40, 2000))
		r.s.order = "turns"
		turned := r.s.compare(t, times(40, 2000))
		if r.want > 0 {
			turned.wantAbout(t, turned.p99, r.want, r.name)
		}
		p.Row(r.name, r.noise, fmt.Sprintf("%d against %d", r.s.base, r.s.next), c.percent(c.p99), c.percent(c.p999), turned.percent(turned.p99), turned.percent(turned.p999))
	}
}

// simulateStalls compares runs of which some stand still.
func simulateStalls(t *testing.T, p *simulation.Page) {
	p.Table("Some runs stand still for 200 ms, once; noise is 5 %. The gate is `p99.9>10%`.",
		"case", "runs", "p99.9 slower", "more pauses", "gate failed", "gate passed", "not decided")
	doubled := change{tail: 2}
	for _, c := range []struct {
		name string
		s    scenario
		want float64 // percent of p99.9
	}{
		{"the tail doubled, one stalled run of BASE", scenario{base: 5, next: 5, b: change{stalled: 1}, c: doubled}, 100},
		{"the tail doubled, one stalled run of NEW", scenario{base: 5, next: 5, c: change{tail: 2, stalled: 1}}, 84},
		{"the tail doubled, one stalled run each", scenario{base: 5, next: 5, b: change{stalled: 1}, c: change{tail: 2, stalled: 1}}, 82},
		{"the tail doubled, one stalled run of BASE, old results", scenario{world: world{blind: true}, base: 5, next: 5, b: change{stalled: 1}, c: doubled}, 100},
		{"the tail doubled, one stalled run of NEW, old results", scenario{world: world{blind: true}, base: 5, next: 5, c: change{tail: 2, stalled: 1}}, 0},
		{"the tail doubled, two stalled runs of BASE, old results", scenario{world: world{blind: true}, base: 5, next: 5, b: change{stalled: 2}, c: doubled}, 0},
		{"the tail doubled, one stalled run of BASE, of four", scenario{base: 4, next: 4, b: change{stalled: 1}, c: doubled}, 0},
		{"nothing but one stalled run of NEW", scenario{base: 5, next: 5, c: change{stalled: 1}}, 0},
		{"a stall in three of five new runs", scenario{base: 5, next: 5, c: change{stalled: 3}}, 0},
		{"a stall in four of five new runs", scenario{base: 5, next: 5, c: change{stalled: 4}}, 0},
		{"a stall in five of five new runs", scenario{base: 5, next: 5, c: change{stalled: 5}}, 0},
		{"a stall in five of eight new runs", scenario{base: 8, next: 8, c: change{stalled: 5}}, 0},
	} {
		c.s.noise, c.s.gate = 0.05, "p99.9>10%"
		got := c.s.compare(t, times(40, 2000))
		if c.want > 0 {
			got.wantAbout(t, got.p999, c.want, c.name)
		}
		p.Row(c.name, fmt.Sprintf("%d against %d", c.s.base, c.s.next), got.percent(got.p999), got.percent(got.pauses), got.percent(got.failed), got.percent(got.passed), got.percent(got.open))
	}
}

// simulateGates decides gates, of which it is known whether they hold.
func simulateGates(t *testing.T, p *simulation.Page) {
	p.Table("One gate, with a known truth. A gate that fails or passes by mistake in more than 5 % is **wrong**: here a loss that occurs in some runs, "+
		"and in none of these by chance. The output names the loss that it cannot exclude.",
		"gate", "truth", "noise", "runs", "failed", "passed", "not decided")
	for _, c := range []struct {
		gate, name, noise string
		s                 scenario
		holds, mayBeWrong bool
	}{
		{"p99>10%", "the same", "5 %", scenario{world: world{noise: 0.05}}, true, false},
		{"p99>10%", "the same", "40 %", scenario{world: world{noise: 0.34}}, true, false},
		{"p99>10%", "9 % higher", "1 %", scenario{world: world{noise: 0.01}, c: change{tail: 1.09}}, true, false},
		{"p99>10%", "11 % higher", "1 %", scenario{world: world{noise: 0.01}, c: change{tail: 1.11}}, false, false},
		{"p99>10%", "20 % higher", "5 %", scenario{world: world{noise: 0.05}, c: change{tail: 1.2}}, false, false},
		{"p99>10%", "doubled", "5 %", scenario{world: world{noise: 0.05}, c: change{tail: 2}}, false, false},
		{"p99>10%", "doubled", "40 %", scenario{world: world{noise: 0.34}, c: change{tail: 2}}, false, false},
		{"loss>0.1%", "nothing is lost", "-", scenario{}, true, false},
		{"loss>0.1%", "0.05 % is lost in each run", "-", scenario{c: change{lost: 0.0005}}, true, false},
		{"loss>0.1%", "0.3 % is lost in each run", "-", scenario{c: change{lost: 0.003}}, false, false},
		{"loss>0.1%", "one run in two loses 1 %: 0.5 % of all", "-", scenario{c: change{lost: 0.01, lossy: 0.5}}, false, true},
		{"loss>0.1%", "one run in five loses 1 %: 0.2 % of all", "-", scenario{c: change{lost: 0.01, lossy: 0.2}}, false, true},
		{"pauses>100%", "as many, every 30 s", "-", scenario{world: world{every: 30}}, true, false},
		{"pauses>100%", "as many, every 5 s", "-", scenario{world: world{every: 5}}, true, false},
		{"pauses>1/min", "none", "-", scenario{}, true, false},
		{"pauses>1/min", "as many, every 30 s", "-", scenario{world: world{every: 30}}, true, false},
		{"pauses>1/min", "four in each run more", "-", scenario{world: world{every: 60}, c: change{stalled: 8, more: 4}}, false, false},
	} {
		for _, n := range []int{3, 5, 8} {
			s := c.s
			s.base, s.next, s.gate = n, n, c.gate
			got := s.compare(t, times(20, 2000))
			name := fmt.Sprintf("%s, %s, %d", c.gate, c.name, n)
			failed, passed := got.percent(got.failed), got.percent(got.passed)
			if c.holds {
				failed = got.rare(t, got.failed, c.mayBeWrong, name)
			} else {
				passed = got.rare(t, got.passed, c.mayBeWrong, name)
			}
			p.Row("`"+c.gate+"`", c.name, c.noise, fmt.Sprintf("%d against %d", n, n), failed, passed, got.percent(got.open))
		}
	}
}

// simulateMaximum gates the maximum of many cells that did not change.
func simulateMaximum(t *testing.T, p *simulation.Page) {
	p.Table("The maximum of 20 cells that did not change, gated by `max>0%` and `max>1000%`, with 10 % of noise in p50 and pauses every 60 s. The rule until now: each run "+
		"of NEW is above each of BASE, in any cell.", "runs", "`max>0%` failed", "`max>1000%` failed", "passed", "not decided", "until now: failed")
	w := world{noise: 0.1, every: 60}
	for _, n := range []int{3, 5, 8, 12} {
		var none, eleven count
		before := 0
		for seed := range uint64(times(3, 300)) {
			rng := rand.New(rand.NewPCG(seed, 9))
			var base, next []compare.Trial
			separate := false
			for cell := range 20 {
				b, n := w.cells(rng, n, cell), w.cells(rng, n, cell)
				base, next = append(base, b...), append(next, n...)
				separate = separate || slices.Min(maxima(n)) > slices.Max(maxima(b))
			}
			before += one(separate)
			none.add(compared(t, set(base...), set(next...), compare.Options{FailOn: []compare.Condition{condition(t, "max>0%")}}))
			eleven.add(compared(t, set(base...), set(next...), compare.Options{FailOn: []compare.Condition{condition(t, "max>1000%")}}))
		}
		name := fmt.Sprintf("max, %d runs", n)
		p.Row(fmt.Sprintf("%d against %d", n, n), none.rare(t, none.failed, false, name), eleven.rare(t, eleven.failed, false, name), eleven.percent(eleven.passed), eleven.percent(eleven.open), none.percent(before))
	}
}

// cells makes runs of one of many cells.
func (w world) cells(rng *rand.Rand, n, number int) (trials []compare.Trial) {
	for i := range n {
		trials = append(trials, w.cell(rng, i+1, schedule.Rate(1000+number), change{}, 0))
	}
	return trials
}

func maxima(trials []compare.Trial) (list []float64) {
	for _, t := range trials {
		row, _ := t.Cell.Response.At(100)
		list = append(list, float64(*row.ValueNS))
	}
	return list
}
