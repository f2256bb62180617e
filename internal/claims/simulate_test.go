package claims_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
)

// TestSimulatedClaims publishes what one run of simulated systems shows, and judges it by another run
// of the same systems, or of systems that were changed.
func TestSimulatedClaims(t *testing.T) {
	p := simulation.NewPage(t, "claims", "# Which claims are reproduced?\n\nMade by `go test ./internal/claims -run Simulated -long`. Each row is "+
		"1,000 bundles of three claims about three targets whose noise is 5 %: their order, the ratio of the second to the first within ±20 %, "+
		"and no loss. A bundle is published if its own run supports the claims; else it is *refused*, and not counted in the columns behind. "+
		"The other columns are shares of the claims about times. With all equal, the ratio is wrong, and the order has no right answer.")
	studies := 1000
	if !*simulation.Long {
		studies = 100
	}
	p.Table("b takes so many times as long as a, and c as b. The systems here differ as the second column says.",
		"b/a = c/b", "here", "repeats", "refused, %", "reproduced, %", "not decided, %", "contradicted, %")
	for _, repeats := range []int{4, 5, 8} {
		for _, c := range []struct {
			name        string
			step, here  float64
			most, least float64 // percent contradicted
		}{
			{"the same", 1.3, 1.3, 5, 0},
			{"the same", 2, 2, 5, 0},
			{"c/b and b/a are 2.4, the bound of the claim", 2, 2.4, 5, 0},
			{"a and c change places", 2, 0.5, 100, 90},
			{"all are equal", 2, 1, 100, 0},
		} {
			outcomes, refused := simulate(studies, repeats, c.step, c.here)
			all := outcomes[claims.Reproduced] + outcomes[claims.NotDecided] + outcomes[claims.Contradicted]
			share := func(o claims.Outcome) float64 { return 100 * float64(outcomes[o]) / float64(max(all, 1)) }
			p.Row(fmt.Sprint(c.step), c.name, fmt.Sprint(repeats), fmt.Sprintf("%.1f", 100*float64(refused)/float64(studies)),
				fmt.Sprintf("%.1f", share(claims.Reproduced)), fmt.Sprintf("%.1f", share(claims.NotDecided)), fmt.Sprintf("%.1f", share(claims.Contradicted)))
			if got := share(claims.Contradicted); got > c.most || repeats == 8 && got < c.least {
				t.Errorf("%s, %d repeats: %.1f %% contradicted, want %v to %v", c.name, repeats, got, c.least, c.most)
			}
		}
	}
}

// simulate returns the outcomes of the claims about times, and how many bundles were refused.
func simulate(studies, repeats int, step, here float64) (outcomes map[claims.Outcome]int, refused int) {
	outcomes = make(map[claims.Outcome]int)
	list := []claims.Claim{order("a", "b", "c"), ratio("a", step/1.2, step*1.2), {Lost: &claims.Lost{Target: "a"}}}
	draw := func(seed uint64, step float64) func(claims.Claim) []compare.Trial {
		all := trials(rand.New(rand.NewPCG(seed, 1)), repeats, map[string]float64{"a": 1, "b": step, "c": step * step})
		return func(claims.Claim) []compare.Trial { return all }
	}
	for seed := range uint64(studies) {
		if claims.Supported(list, draw(2*seed, step)) != nil {
			refused++
			continue
		}
		for _, j := range claims.Judge(list[:2], draw(2*seed+1, here)) {
			outcomes[j.Outcome]++
		}
	}
	return outcomes, refused
}
