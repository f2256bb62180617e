package ab_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/results"
)

// A trial is how pairs vary in a simulation, as standard deviations of logarithms.
type trial struct {
	name        string
	walk        float64 // of the machine's speed, from each run to the next
	own         float64 // of each run
	heavy       bool    // own is Student's t with 3 degrees of freedom
	stall       bool    // one run of the first eight pairs takes ten times as long
	differ      float64 // by how much B is slower
	pairs       int     // how many
	until       float64 // 0: so many pairs
	most, least float64 // bounds of the short version, in percent
}

func (c trial) pair(rng *rand.Rand, level *float64, order string) ab.Pair {
	run := func(factor float64) float64 {
		*level += c.walk * rng.NormFloat64()
		noise := rng.NormFloat64()
		if c.heavy {
			noise /= math.Sqrt((square(rng) + square(rng) + square(rng)) / 3)
		}
		return factor * math.Exp(*level+c.own*noise)
	}
	if order == ab.AFirst {
		a := run(1)
		return ab.Pair{A: median(a), B: median(run(1 + c.differ)), Order: order}
	}
	b := run(1 + c.differ)
	return ab.Pair{A: median(run(1)), B: median(b), Order: order}
}

// median returns a cell that is asked for p50 alone.
func median(ms float64) *results.Cell {
	return cell("x", ms, func(c *results.Cell) { c.Plan.Settings.Percentiles = []float64{50} })
}

func square(rng *rand.Rand) float64 { v := rng.NormFloat64(); return v * v }

// mostPairs is when a trial gives up.
const mostPairs = 400

// measure simulates one `ab`. Covered tells whether the interval has the truth.
func (c trial) measure(seed uint64) (shown, covered bool, pairs int) {
	rng := rand.New(rand.NewPCG(seed, 2))
	next, level := ab.Orders(seed, 0), 0.0
	var list []ab.Pair
	for len(list) < mostPairs {
		p := c.pair(rng, &level, next())
		if c.stall && len(list) == int(seed%8) {
			slow := []*results.Cell{p.A, p.B}[seed/8%2]
			*slow.Response.Percentiles[0].ValueNS *= 10
		}
		list = append(list, p)
		if len(list) >= c.pairs && (c.until == 0 || ab.Narrow([][]ab.Pair{list}, c.until)) {
			break
		}
	}
	r := new(ab.Result)
	if c.until > 0 {
		r.Until = &c.until
	}
	r.Analyse([][]ab.Pair{list})
	row := r.Cells[0].Rows[0]
	truth := 1 + c.differ
	return row.Answer == ab.Slower || row.Answer == ab.Faster, *row.Ratio.Low <= truth && truth <= *row.Ratio.High, len(list)
}

func TestSimulatedPairs(t *testing.T) {
	p := simulation.NewPage(t, "ab", "# Which differences does ab find?\n\nMade by `go test ./internal/compare/ab -run Simulated -long`. Each row is 2,000 runs of `ab` with one percentile, "+
		"because several would share the 5 %. Noise is the standard deviation of logarithms. A walk is the change of the machine's "+
		"speed from one run to the next. With `--until` the number is the least number of pairs, and `ab` looks after each further one; intervals are then made at 97 %, so that 95 % of them hold the truth.")
	runs := 2000
	if !*simulation.Long {
		runs = 150
	}
	p.Table("Shown: how often B was called slower or faster. These are false alarms where B equals A.",
		"B is slower by", "noise of a run", "walk", "pairs", "shown, %", "the truth is in the interval, %", "pairs, on average")
	for _, c := range []trial{
		{name: "5 %", own: 0.05, pairs: 8, most: 10},
		{name: "5 %", own: 0.05, pairs: 3, most: 10},
		{name: "1 %", own: 0.01, walk: 0.05, pairs: 8, most: 10},
		{name: "5 %, heavy tails", own: 0.05, heavy: true, pairs: 8, most: 10},
		{name: "5 %, and one run stalls (×10)", own: 0.05, stall: true, pairs: 8, most: 10},
		{name: "5 %", own: 0.05, pairs: 20, most: 10},
		{name: "5 %", own: 0.05, pairs: 8, until: 0.1, most: 10},
		{name: "5 %", own: 0.05, pairs: 8, until: 0.05, most: 10},
		{name: "10 %", own: 0.1, pairs: 8, until: 0.05, most: 10},
		{name: "5 %", own: 0.05, pairs: 6, until: 0.05, most: 10},
		{name: "10 %", own: 0.1, pairs: 6, until: 0.05, most: 10},
		{name: "5 %, heavy tails", own: 0.05, heavy: true, pairs: 8, until: 0.05, most: 10},
		{name: "1 %", own: 0.01, walk: 0.05, pairs: 8, until: 0.05, most: 10},
		{name: "1 %", own: 0.01, walk: 0.05, pairs: 8, differ: 0.05},
		{name: "1 %", own: 0.01, walk: 0.02, pairs: 8, differ: 0.05, least: 70},
		{name: "2 %", own: 0.02, pairs: 8, differ: 0.05, least: 70},
		{name: "5 %", own: 0.05, pairs: 8, differ: 0.05},
		{name: "5 %", own: 0.05, pairs: 8, differ: 0.2, least: 90},
		{name: "5 %, and one run stalls (×10)", own: 0.05, stall: true, pairs: 8, differ: 0.2, least: 80},
		{name: "5 %", own: 0.05, pairs: 8, differ: 0.1, until: 0.05, least: 80},
		{name: "10 %", own: 0.1, pairs: 8, differ: 0.1, until: 0.05, least: 80},
	} {
		shown, covered, pairs := 0, 0, 0
		for seed := range uint64(runs) {
			s, in, n := c.measure(seed)
			pairs += n
			if s {
				shown++
			}
			if in {
				covered++
			}
		}
		percent := func(n int) float64 { return 100 * float64(n) / float64(runs) }
		how := fmt.Sprint(c.pairs)
		if c.until > 0 {
			how = fmt.Sprintf("%d, until ±%.0f %%", c.pairs, 100*c.until)
		}
		p.Row(fmt.Sprintf("%.0f %%", 100*c.differ), c.name, fmt.Sprintf("%.0f %%", 100*c.walk), how,
			fmt.Sprintf("%.1f", percent(shown)), fmt.Sprintf("%.1f", percent(covered)), fmt.Sprintf("%.1f", float64(pairs)/float64(runs)))
		if got := percent(shown); c.differ == 0 && got > c.most || got < c.least {
			t.Errorf("%+v: shown in %.1f %%", c, got)
		}
	}
}
