package rank_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
)

// A world is how targets vary in a simulation, as standard deviations of logarithms.
type world struct {
	name          string
	targets       int
	repeats       int
	repeat, walk  float64   // what all targets of a repeat have in common, and how that wanders
	own           []float64 // of each target in each repeat; the last holds for those after it
	heavy         bool      // own is Student's t with 3 degrees of freedom
	modes         float64   // how much slower a run is in every second case; 0: it is not
	memory        float64   // the correlation of a target's own noise with that of the repeat before
	placed        float64   // what a target keeps for all repeats
	wrong         bool      // more alarms are known
	factor        float64   // how much slower the last target is; 0 is 1
	alarms, found float64   // bounds of the short version, in percent
}

// draw returns a run of that world.
func (w world) draw(rng *rand.Rand) *compare.Set {
	var trials []compare.Trial
	level := 0.0
	kept, placed := make([]float64, w.targets), make([]float64, w.targets)
	for i := range kept {
		kept[i], placed[i] = rng.NormFloat64(), w.placed*rng.NormFloat64()
	}
	for repeat := range w.repeats {
		level += w.walk * rng.NormFloat64()
		common := level + w.repeat*rng.NormFloat64()
		for i := range w.targets {
			noise := rng.NormFloat64()
			if w.heavy {
				noise /= math.Sqrt((square(rng) + square(rng) + square(rng)) / 3)
			}
			noise = w.memory*kept[i] + math.Sqrt(1-w.memory*w.memory)*noise
			kept[i] = noise
			scale := math.Exp(common + placed[i] + w.own[min(i, len(w.own)-1)]*noise)
			if rng.IntN(2) == 1 {
				scale *= 1 + w.modes
			}
			if i == w.targets-1 && w.factor > 0 {
				scale *= w.factor
			}
			trials = append(trials, trial(fmt.Sprintf("t%d", i), repeat+1, scale))
		}
	}
	return joined(trials)
}

func square(rng *rand.Rand) float64 { v := rng.NormFloat64(); return v * v }

// said returns whether anything is shown, and whether all pairs with the last target are.
func said(t *testing.T, w world, seed uint64) (anything, last bool) {
	r := ranked(t, w.draw(rand.New(rand.NewPCG(seed, 1))))
	name := fmt.Sprintf("t%d", w.targets-1)
	last = true
	for _, row := range r.Shapes[0].Rows {
		for _, v := range row.Versus {
			shown := v.Answer == "faster"
			anything = anything || shown
			if v.First == name || v.Second == name {
				last = last && shown && v.Second == name
			}
		}
	}
	return anything, last
}

// TestSimulatedRanking counts how often targets that are the same are ranked, and how
// often one that is slower is found to be.
func TestSimulatedRanking(t *testing.T) {
	p := simulation.NewPage(t, "ranking", "# Who wins?\n\nMade by `go test ./internal/compare/rank -run Simulated -long`. Each row is "+
		"500 runs; two percentiles that move together, p50 and p99, are ranked. Noise is the standard deviation of logarithms.")
	runs := 500
	if !*simulation.Long {
		runs = 100
	}
	p.Table("Equal targets. An alarm is a run in which any two of them are called different. In rows that are **wrong** a target keeps something from repeat to repeat: a ranking assumes that it does not, and says so:", "case", "targets", "repeats", "alarms, %")
	for _, w := range []world{
		{name: "independent noise of 5 %", targets: 4, repeats: 5, own: []float64{0.05}, alarms: 8},
		{name: "three repeats", targets: 4, repeats: 3, own: []float64{0.05}, alarms: 8},
		{name: "two repeats", targets: 4, repeats: 2, own: []float64{0.05}, alarms: 8},
		{name: "two targets", targets: 2, repeats: 5, own: []float64{0.05}, alarms: 8},
		{name: "repeats differ by 20 %", targets: 4, repeats: 5, repeat: 0.2, own: []float64{0.05}, alarms: 8},
		{name: "the machine's speed is a walk of 10 % a repeat", targets: 4, repeats: 8, walk: 0.1, own: []float64{0.05}, alarms: 8},
		{name: "one target varies by 2 %, the others by 20 %", targets: 4, repeats: 5, own: []float64{0.02, 0.2}, alarms: 8},
		{name: "heavy tails (t, 3 degrees of freedom)", targets: 4, repeats: 5, own: []float64{0.05}, heavy: true, alarms: 8},
		{name: "every second run is 50 % slower", targets: 2, repeats: 2, own: []float64{0.01}, modes: 0.5, alarms: 8},
		{name: "every second run is 50 % slower", targets: 2, repeats: 3, own: []float64{0.01}, modes: 0.5, alarms: 8},
		{name: "every second run is 50 % slower", targets: 4, repeats: 2, own: []float64{0.001}, modes: 0.5, alarms: 8},
		{name: "every second run is 50 % slower", targets: 4, repeats: 3, own: []float64{0.01}, modes: 0.5, alarms: 8},
		{name: "every second run is 50 % slower", targets: 4, repeats: 4, own: []float64{0.01}, modes: 0.5, alarms: 8},
		{name: "every second run is 50 % slower", targets: 4, repeats: 5, own: []float64{0.01}, modes: 0.5, alarms: 8},
		{name: "every second run is 50 % slower", targets: 4, repeats: 8, own: []float64{0.01}, modes: 0.5, alarms: 8},
		{name: "a target's repeats correlate by 0.3", targets: 4, repeats: 8, own: []float64{0.05}, memory: 0.3, wrong: true},
		{name: "a target's repeats correlate by 0.6", targets: 4, repeats: 8, own: []float64{0.05}, memory: 0.6, wrong: true},
		{name: "each target keeps a placement that differs by 5 %", targets: 4, repeats: 5, own: []float64{0.05}, placed: 0.05, wrong: true},
	} {
		alarms := 0
		for seed := range uint64(runs) {
			if anything, _ := said(t, w, seed); anything {
				alarms++
			}
		}
		share := 100 * float64(alarms) / float64(runs)
		text := fmt.Sprintf("%.1f", share)
		if w.wrong {
			text = "**wrong** " + text
		}
		p.Row(w.name, fmt.Sprint(w.targets), fmt.Sprint(w.repeats), text)
		if share > w.alarms && !w.wrong {
			t.Errorf("%s: %.1f %% alarms", w.name, share)
		}
	}
	p.Table("One of four targets is slower, the noise of each is 5 %, and repeats differ by 20 %. Found means that it is shown to be slower than each of the "+
		"others, at both percentiles:", "slower by", "repeats", "found, %")
	for _, w := range []world{
		{factor: 1.1, repeats: 3},
		{factor: 1.1, repeats: 5},
		{factor: 1.1, repeats: 8},
		{factor: 1.1, repeats: 20},
		{factor: 1.3, repeats: 3, found: 50},
		{factor: 1.3, repeats: 5, found: 90},
		{factor: 1.3, repeats: 8, found: 90},
		{factor: 2, repeats: 3, found: 90},
		{factor: 2, repeats: 4, found: 90},
		{factor: 2, repeats: 5, found: 90},
	} {
		w.targets, w.repeat, w.own = 4, 0.2, []float64{0.05}
		found := 0
		for seed := range uint64(runs) {
			if _, last := said(t, w, seed); last {
				found++
			}
		}
		share := 100 * float64(found) / float64(runs)
		p.Row(fmt.Sprintf("%.0f %%", 100*(w.factor-1)), fmt.Sprint(w.repeats), fmt.Sprintf("%.1f", share))
		if share < w.found {
			t.Errorf("%.1f, %d repeats: found in %.1f %%", w.factor, w.repeats, share)
		}
	}
}
