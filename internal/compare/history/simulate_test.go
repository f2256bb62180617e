package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// noise draws series of one deviation, and no change.
type noise struct {
	name   string
	memory float64 // the correlation of neighbours
	heavy  float64 // degrees of freedom of Student's t; 0 is normal
	groups int     // so many runs in a row have something in common, half of the variance
	odd    float64 // what the last run is, if not 0
	most   float64 // the most alarms that the short version may see, in percent
}

func (s noise) draw(rng *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	z, group := rng.NormFloat64(), 0.0
	for i := range values {
		values[i] = z
		z = s.memory*z + math.Sqrt(1-s.memory*s.memory)*rng.NormFloat64()
		if s.groups > 0 {
			if i%s.groups == 0 {
				group = rng.NormFloat64()
			}
			values[i] = (group + values[i]) * math.Sqrt(0.5)
		}
		if s.heavy > 0 {
			chi := 0.0
			for range int(s.heavy) {
				chi += square(rng.NormFloat64())
			}
			values[i] /= math.Sqrt(chi / s.heavy)
		}
	}
	if s.odd != 0 {
		values[n-1] = s.odd
	}
	return values
}

func square(v float64) float64 { return v * v }

// share returns in how many of some series, in percent, of that length something holds.
func share(series, n int, s noise, shift func(i int) float64, holds func(found []found) bool) float64 {
	count := 0
	for seed := range uint64(series) {
		values := s.draw(rand.New(rand.NewPCG(seed, uint64(n))), n)
		for i := range values {
			values[i] += shift(i)
		}
		if holds(changes(values, newChance(1))) {
			count++
		}
	}
	return 100 * float64(count) / float64(series)
}

func none(int) float64 { return 0 }

func any1(list []found) bool { return len(list) > 0 }

// lengths are how many runs a history has.
func lengths() []int { return []int{10, 20, 50} }

func TestSimulatedHistory(t *testing.T) {
	p := simulation.NewPage(t, "history", "# Which changes over many runs are found?\n\nMade by `go test ./internal/compare/history -run Simulated -long`. A series has one "+
		"value for each run; between runs it varies by one standard deviation (σ), of the logarithm. Percentages are of 1,000 series each.")
	series := 1000
	if !*simulation.Long {
		series = 40
	}
	falseAlarms(t, p, series)
	power(t, p, series)
	nightly(p, series)
}

func falseAlarms(t *testing.T, p *simulation.Page, series int) {
	p.Table("Series that do not change: how many show a change. They should be at most 5 %. It fails where runs have a long memory: a few runs of a slow "+
		"drift look like a step.", "runs vary", "10 runs", "20 runs", "50 runs")
	for _, s := range []noise{
		{name: "independently, normal", most: 12},
		{name: "independently, heavy tails (t, 2 degrees of freedom)", heavy: 2, most: 12},
		{name: "independently, Cauchy", heavy: 1, most: 12},
		{name: "the last run is 20 σ off", odd: 20, most: 12},
		{name: "neighbours correlate by 0.3", memory: 0.3, most: 20},
		{name: "neighbours correlate by 0.5", memory: 0.5, most: 28},
		{name: "neighbours correlate by 0.7", memory: 0.7},
		{name: "neighbours correlate by 0.9", memory: 0.9},
		{name: "sessions of 3 runs have half of the variance in common", groups: 3, most: 25},
	} {
		row := []string{s.name}
		for _, n := range lengths() {
			got := share(series, n, s, none, any1)
			row = append(row, fmt.Sprintf("%.1f", got))
			if s.most > 0 && got > s.most {
				t.Errorf("%s: %.1f %% of %d runs", s.name, got, n)
			}
		}
		p.Row(row...)
	}
}

func power(t *testing.T, p *simulation.Page, series int) {
	p.Table("Series that change, with independent noise: how many show a change that is at most two runs off.",
		"change", "10 runs", "20 runs", "50 runs")
	for _, c := range []struct {
		name     string
		from, to func(n int) int // the runs that are shifted
		by       float64
		least    [3]float64 // of the short version
	}{
		{name: "1 σ, in the middle", from: half, to: all, by: 1},
		{name: "2 σ, in the middle", from: half, to: all, by: 2, least: [3]float64{0, 45, 80}},
		{name: "3 σ, in the middle", from: half, to: all, by: 3, least: [3]float64{35, 85, 90}},
		{name: "3 σ, 5 runs ago", from: ago(5), to: all, by: 3, least: [3]float64{35, 50, 80}},
		{name: "3 σ, 3 runs ago", from: ago(3), to: all, by: 3},
		{name: "5 σ, 3 runs ago", from: ago(3), to: all, by: 5},
		{name: "3 σ, for a fifth of the runs, then as before", from: func(n int) int { return 2 * n / 5 }, to: func(n int) int { return 3 * n / 5 }, by: 3, least: [3]float64{0, 0, 80}},
		{name: "5 σ, for a fifth of the runs, then as before", from: func(n int) int { return 2 * n / 5 }, to: func(n int) int { return 3 * n / 5 }, by: 5},
	} {
		row := []string{c.name}
		for i, n := range lengths() {
			from, to := c.from(n), c.to(n)
			shift := func(i int) float64 {
				if i >= from && i < to {
					return c.by
				}
				return 0
			}
			got := share(series, n, noise{}, shift, func(list []found) bool {
				for _, f := range list {
					if f.at >= from-2 && f.at <= from+2 {
						return true
					}
				}
				return false
			})
			row = append(row, fmt.Sprintf("%.1f", got))
			if got < c.least[i] {
				t.Errorf("%s: %.1f %% of %d runs", c.name, got, n)
			}
		}
		p.Row(row...)
	}
}

func half(n int) int { return n / 2 }
func all(n int) int  { return n }

func ago(runs int) func(int) int { return func(n int) int { return n - runs } }

// nightly asks after each run, as CI does, whether the newest runs are worse.
func nightly(p *simulation.Page, series int) {
	p.Table("A gate that is asked after each of 50 runs, from the 8th on (`--fail-on new-change`, one series). Alarms of a series that does not "+
		"change: in how many histories the gate fails at least once, and in how many of all nights. A series that becomes 3 σ worse after 25 runs: in "+
		"how many histories that is found within 5 runs, and within 10.", "runs vary", "histories with an alarm, %", "nights with an alarm, %", "found in 5, %", "found in 10, %")
	for _, s := range []noise{{name: "independently, normal"}, {name: "neighbours correlate by 0.3", memory: 0.3}, {name: "neighbours correlate by 0.5", memory: 0.5}} {
		alarmed, nights, in5, in10 := 0, 0, 0, 0
		for seed := range uint64(series / 4) {
			values := s.draw(rand.New(rand.NewPCG(seed, 50)), 50)
			failures := 0
			for n := Needed; n <= 50; n++ {
				if gateFails(values[:n]) {
					failures++
				}
			}
			nights += failures
			if failures > 0 {
				alarmed++
			}
			for i := 25; i < 50; i++ {
				values[i] += 3
			}
			for n := 28; n <= 35; n++ {
				if gateFails(values[:n]) {
					if in10++; n <= 30 {
						in5++
					}
					break
				}
			}
		}
		of := 100 / float64(series/4)
		p.Row(s.name, fmt.Sprintf("%.1f", of*float64(alarmed)), fmt.Sprintf("%.2f", of*float64(nights)/43), fmt.Sprintf("%.1f", of*float64(in5)), fmt.Sprintf("%.1f", of*float64(in10)))
	}
}

// gateFails reports whether the series has a new change for the worse.
func gateFails(values []float64) bool {
	list := changes(values, newChance(1))
	if len(list) == 0 {
		return false
	}
	last, from := list[len(list)-1].at, 0
	if len(list) > 1 {
		from = list[len(list)-2].at
	}
	return len(values)-last <= DefaultNewest && stats.Median(values[last:]) > stats.Median(values[from:last])
}
