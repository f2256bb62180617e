package claims_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// TestSimulatedClaims publishes what one run of simulated systems shows, and judges it by another run
// of the same systems, or of systems that were changed.
func TestSimulatedClaims(t *testing.T) {
	p := simulation.NewPage(t, "claims", "# Which claims are reproduced?\n\nMade by `go test ./internal/claims -run Simulated -long`. Each row is "+
		"1,000 bundles of claims about three targets. A bundle is published if its own runs support the claims; else it is *refused*, and not counted in the columns behind. "+
		"The other columns are shares of the claims but *no loss*.")
	simulateTimes(t, p)
	simulateSides(t, p)
	simulateSearches(t, p)
}

// A study draws the runs of a bundle, or of this machine, in which b and c differ by step from a and b.
type study struct {
	repeats int
	list    []claims.Claim
	draw    func(seed uint64, step float64) []*claims.Run
}

// A change is how the systems here differ from the published ones.
type change struct {
	name        string
	step, here  float64
	most, least float64 // percent contradicted
}

// columns returns the head of a table that begins with some columns.
func columns(first ...string) []string {
	return append(first, "refused, %", "reproduced, %", "not decided, %", "contradicted, %")
}

// row simulates bundles, and writes a row that begins with some cells.
func (s study) row(t *testing.T, p *simulation.Page, c change, cells ...string) {
	t.Helper()
	studies := 1000
	if !*simulation.Long {
		studies = 40
	}
	outcomes, refused := make(map[claims.Outcome]int), 0
	for seed := range uint64(studies) {
		published := s.draw(2*seed, c.step)
		if claims.Supported(s.list, func(claims.Claim) []*claims.Run { return published }) != nil {
			refused++
			continue
		}
		mine := s.draw(2*seed+1, c.here)
		for _, j := range claims.Judge(s.list, func(claims.Claim) []*claims.Run { return mine }) {
			if j.Lost == nil {
				outcomes[j.Outcome]++
			}
		}
	}
	all := outcomes[claims.Reproduced] + outcomes[claims.NotDecided] + outcomes[claims.Contradicted]
	share := func(o claims.Outcome) float64 { return 100 * float64(outcomes[o]) / float64(max(all, 1)) }
	cells = append(cells, fmt.Sprintf("%.1f", 100*float64(refused)/float64(studies)))
	for _, o := range []claims.Outcome{claims.Reproduced, claims.NotDecided, claims.Contradicted} {
		cells = append(cells, fmt.Sprintf("%.1f", share(o)))
	}
	p.Row(cells...)
	if got := share(claims.Contradicted); got > c.most || s.repeats == 8 && got < c.least {
		t.Errorf("%s, %d repeats: %.1f %% contradicted, want %v to %v", c.name, s.repeats, got, c.least, c.most)
	}
	if s.repeats == 8 && refused > studies/10 {
		t.Errorf("%s: %d of %d bundles refused", c.name, refused, studies)
	}
}

// scales returns a times of three targets, of which each is step times the one before.
func scales(step float64) map[string]float64 {
	return map[string]float64{"a": 1, "b": step, "c": step * step}
}

func simulateTimes(t *testing.T, p *simulation.Page) {
	p.Table("Times: the order of the targets, the ratio of the second to the first within ±20 %, and no loss. The noise is 5 %. b takes so many times as long as a, and c as b. The systems here differ as the "+
		"second column says. With all equal, the ratio is wrong, and the order has no right answer.", columns("b/a = c/b", "here", "repeats")...)
	for _, repeats := range []int{4, 5, 8} {
		for _, c := range []change{
			{"the same", 1.3, 1.3, 5, 0},
			{"the same", 2, 2, 5, 0},
			{"c/b and b/a are 2.4, the bound of the claim", 2, 2.4, 5, 0},
			{"a and c change places", 2, 0.5, 100, 90},
			{"all are equal", 2, 1, 100, 0},
		} {
			s := study{repeats: repeats, list: []claims.Claim{order("a", "b", "c"), ratio("a", c.step/1.2, c.step*1.2), {Lost: &claims.Lost{Target: "a"}}}}
			s.draw = func(seed uint64, step float64) []*claims.Run {
				return runOf(trials(rand.New(rand.NewPCG(seed, 1)), repeats, scales(step)))(claims.Claim{})
			}
			s.row(t, p, c, fmt.Sprint(c.step), c.name, fmt.Sprint(repeats))
		}
	}
}

// simulateSides has claims about the CPU time, the service time and another shape of one target.
func simulateSides(t *testing.T, p *simulation.Page) {
	p.Table("Sides: CPU time for a message of b / a, response / service time of b, and the larger / the smaller size of b, each within ±20 %. All are what the first column says, and the noise of each is 5 %.",
		columns("ratio", "here", "repeats")...)
	for _, repeats := range []int{4, 5, 8} {
		for _, c := range []change{
			{"the same", 2, 2, 5, 0},
			{"2.4, the bound of the claims", 2, 2.4, 5, 0},
			{"the sides change places", 2, 0.5, 100, 90},
			{"all are equal", 2, 1, 100, 90},
		} {
			s := study{repeats: repeats, list: sidesOf(c.step/1.2, c.step*1.2)}
			s.draw = func(seed uint64, step float64) []*claims.Run {
				return runOf(sided(rand.New(rand.NewPCG(seed, 1)), repeats, step))(claims.Claim{})
			}
			s.row(t, p, c, fmt.Sprint(c.step), c.name, fmt.Sprint(repeats))
		}
	}
}

// simulateSearches has claims about highest rates and the costs there.
func simulateSearches(t *testing.T, p *simulation.Page) {
	p.Table("Searches to 5 %: the highest rate of b / a, that of c / b, and the CPU time for a message of a / b there. The noise is that of the highest rate from one search to the next. With 20 % of it a single search "+
		"contradicts more than 5 % of the claims at their bound: repeat searches of such systems.", columns("b/a = c/b", "claimed", "here", "noise, %", "searches")...)
	for _, searches := range []int{1, 2, 4, 8} {
		for _, noise := range []float64{0.05, 0.1, 0.2} {
			most := 5.
			if noise == 0.2 && searches == 1 {
				most = 100
			}
			for _, c := range []change{
				{"the same", 2, 2, most, 0},
				{"4, the bound of the claims", 2, 4, most, 0},
				{"a and c change places", 2, 0.5, 100, 90},
			} {
				s := study{repeats: searches, list: []claims.Claim{rate(1, 4), rate(1, 4), cost(slo(), "", 1, 4)}}
				s.list[1].Rate.Sides, s.list[2].Cost.Sides = sides("c", "b", 1, 4), sides("a", "b", 1, 4)
				s.draw = func(seed uint64, step float64) []*claims.Run {
					rates := scales(step)
					for name := range rates {
						rates[name] *= 10_000
					}
					return world{rates, noise}.searches(seed, searches)
				}
				s.row(t, p, c, fmt.Sprint(c.step), "1 to 4", c.name, fmt.Sprint(100*noise), fmt.Sprint(searches))
			}
		}
	}
}

// sidesOf returns claims whose sides are not two targets of one shape and series.
func sidesOf(low, high float64) []claims.Claim {
	const small, large = "1000-100B-c1-fopen", "1000-200B-c1-fopen"
	list := []claims.Claim{cost(plan.Objective{}, "", low, high), ratio("b", low, high), ratio("b", low, high)}
	list[0].Shape, list[1].Shape = small, small
	list[1].Ratio.To.Series = "service"
	list[2].Ratio.Of.Shape, list[2].Ratio.To.Shape = large, small
	return list
}

// sided returns repeats in which the second side of sidesOf has step times as much as the first.
func sided(rng *rand.Rand, repeats int, step float64) (list []compare.Trial) {
	noisy := func(scale float64) float64 { return scale * math.Exp(0.05*rng.NormFloat64()) }
	for repeat := range repeats {
		for _, name := range []string{"a", "b"} {
			for i, scale := range []float64{1, step} {
				one := trial(name, repeat+1, int64(noisy(scale)*1e6))
				one.Cell.Plan.Shape.Size = 100 * (i + 1)
				one.Cell.Cost = &results.Cost{NodesCPUNS: new(noisy(map[string]float64{"a": 1, "b": step}[name]))}
				one.Cell.Service.Percentiles = []results.Percentile{{Percentile: 99, ValueNS: new(int64(noisy(1/step) * 1e6)), SamplesAbove: 100, Trusted: true}}
				list = append(list, one)
			}
		}
	}
	return list
}
