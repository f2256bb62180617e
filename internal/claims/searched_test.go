package claims_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

func slo() plan.Objective {
	return plan.Objective{Series: "response", Percentile: 99, Operator: "<", Limit: 1e7}
}

// A world has the highest rate of each target, and how much it varies from search to search. A message
// takes a second of CPU time over that rate.
type world struct {
	rates map[string]float64
	noise float64
}

// search returns what a search to 5 % finds.
func (w world) search(rng *rand.Rand, dir string) *claims.Run {
	run := &claims.Run{Set: &compare.Set{Dir: dir}, Search: &search.Document{}}
	for _, name := range slices.Sorted(maps.Keys(w.rates)) {
		truth := w.rates[name] * math.Exp(w.noise*rng.NormFloat64())
		step := math.Floor(math.Log(truth) / math.Log(1.05))
		rate, above := int(math.Pow(1.05, step)), int(math.Pow(1.05, step+1))+1
		r := search.Result{Target: name, Shape: plan.Shape{Rate: 1000, Size: 100, Connections: 1}, Rows: []search.Row{{Objective: slo(), Status: search.Found, Rate: rate, Above: above}}}
		for i, probed := range []int{rate, above} {
			cell := trial(name, 1, int64(1e6*(1+100*i))).Cell
			cell.ID, cell.Plan.Shape.Rate = name+strconv.Itoa(i), schedule.Rate(probed)
			cell.Cost = &results.Cost{WindowNS: 1e9, Messages: 1000, NodesCPUNS: new(1e9 / truth), ClientCPUNS: new(2e9 / truth)}
			run.Trials = append(run.Trials, compare.Trial{Dir: dir, Cell: cell})
			r.Probes = append(r.Probes, search.Probe{Rate: probed, CellID: cell.ID, Answers: []search.Judgement{{Answer: []search.Answer{search.Kept, search.Missed}[i]}}})
		}
		run.Search.Searches = append(run.Search.Searches, r)
	}
	return run
}

// searches returns several of them.
func (w world) searches(seed uint64, n int) (runs []*claims.Run) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		runs = append(runs, w.search(rng, strconv.Itoa(i)))
	}
	return runs
}

func rate(low, high float64) claims.Claim {
	return claims.Claim{ID: "1", Rate: &claims.Rate{SLO: slo(), Sides: sides("b", "a", low, high)}}
}

func cost(slo plan.Objective, cpu claims.CPU, low, high float64) claims.Claim {
	return claims.Claim{ID: "1", Cost: &claims.Cost{CPU: cpu, SLO: slo, Sides: sides("b", "a", low, high)}}
}

func TestJudgeSearches(t *testing.T) {
	status := func(target string, s search.Status) func(*claims.Run) {
		return func(run *claims.Run) {
			for i, r := range run.Search.Searches {
				if r.Target == target {
					run.Search.Searches[i].Rows[0].Status = s
				}
			}
		}
	}
	lost := func(run *claims.Run) {
		for _, r := range run.Trials {
			r.Cell.Cost = nil
		}
	}
	other := plan.Objective{Series: "response", Percentile: 99, Operator: "<", Limit: 2e7}
	for name, c := range map[string]struct {
		claim    claims.Claim
		searches int
		change   func(*claims.Run)
		want     claims.Outcome
	}{
		"four":                      {claim: rate(1.6, 2.5), searches: 4, want: claims.Reproduced},
		"four, the other way round": {claim: rate(0, 0.9), searches: 4, want: claims.Contradicted},
		"one, far inside":           {claim: rate(1, 4), searches: 1, want: claims.Reproduced},
		"one, inside":               {claim: rate(1.6, 2.5), searches: 1, want: claims.NotDecided},
		"one, outside":              {claim: rate(2.5, 0), searches: 1, want: claims.NotDecided},
		"one, far outside":          {claim: rate(4, 0), searches: 1, want: claims.Contradicted},
		"no search":                 {claim: rate(1, 4), want: claims.NotDecided},
		"another objective":         {claim: claims.Claim{Rate: &claims.Rate{SLO: other, Sides: sides("b", "a", 1, 4)}}, searches: 1, want: claims.NotDecided},
		"another target":            {claim: claims.Claim{Rate: &claims.Rate{SLO: slo(), Sides: sides("c", "a", 1, 4)}}, searches: 1, want: claims.NotDecided},
		"another shape":             {claim: claims.Claim{Shape: "x", Rate: &claims.Rate{SLO: slo(), Sides: sides("b", "a", 1, 4)}}, searches: 1, want: claims.NotDecided},
		"b may do more":             {claim: rate(1, 0), searches: 4, change: status("b", search.AtMax), want: claims.Reproduced},
		"b may do far more":         {claim: rate(1, 4), searches: 4, change: status("b", search.AtMax), want: claims.NotDecided},
		"the client":                {claim: rate(0, 4), searches: 1, change: status("b", search.ByClient), want: claims.NotDecided},
		"not decided":               {claim: rate(0, 4), searches: 1, change: status("b", search.NotDecided), want: claims.NotDecided},
		"not decided, but enough":   {claim: rate(1, 0), searches: 4, change: status("b", search.NotDecided), want: claims.Reproduced},
		"both may do more":          {claim: rate(1, 4), searches: 1, change: func(r *claims.Run) { status("a", search.AtMax)(r); status("b", search.AtMax)(r) }, want: claims.NotDecided},
		"a may do more":             {claim: rate(0, 4), searches: 1, change: status("a", search.AtMax), want: claims.Reproduced},
		"not monotone":              {claim: rate(1, 4), searches: 4, change: status("a", search.Opposed), want: claims.NotDecided},
		"interrupted":               {claim: rate(1, 4), searches: 4, change: status("a", search.Unfinished), want: claims.NotDecided},
		"cost":                      {claim: cost(slo(), "", 0.3, 0.8), searches: 4, want: claims.Reproduced},
		"cost of the client":        {claim: cost(slo(), claims.Client, 0.8, 0), searches: 4, want: claims.Contradicted},
		"cost of one search":        {claim: cost(slo(), claims.Both, 0.2, 1), searches: 1, want: claims.Reproduced},
		"cost at no highest rate":   {claim: cost(slo(), "", 0.2, 1), searches: 4, change: status("a", search.AtMax), want: claims.NotDecided},
		"cost unknown":              {claim: cost(slo(), "", 0.2, 1), searches: 4, change: lost, want: claims.NotDecided},
	} {
		runs := world{map[string]float64{"a": 10_000, "b": 20_000}, 0.01}.searches(1, c.searches)
		for _, run := range runs {
			if c.change != nil {
				c.change(run)
			}
		}
		got := claims.Judge([]claims.Claim{c.claim}, func(claims.Claim) []*claims.Run { return runs })[0]
		if got.Outcome != c.want || got.Why() == "" {
			t.Errorf("%s: %s (%s), want %s", name, got.Outcome, got.Why(), c.want)
		}
	}
}

// TestSupportedSearches changes numbers of a search that supports its claim.
func TestSupportedSearches(t *testing.T) {
	for name, change := range map[string]func(*search.Result, *results.Cell){
		"as it was":        func(*search.Result, *results.Cell) {},
		"the rate":         func(r *search.Result, _ *results.Cell) { r.Rows[0].Rate += 10 },
		"the rate above":   func(r *search.Result, _ *results.Cell) { r.Rows[0].Above -= 10 },
		"the probe's rate": func(r *search.Result, _ *results.Cell) { r.Rows[0].Rate += 10; r.Probes[0].Rate += 10 },
		"the percentile":   func(_ *search.Result, c *results.Cell) { *c.Response.Percentiles[0].ValueNS *= 100 },
		"no answers":       func(r *search.Result, _ *results.Cell) { r.Probes[0].Answers = nil },
	} {
		runs := world{map[string]float64{"a": 10_000, "b": 20_000}, 0.01}.searches(1, 4)
		change(&runs[0].Search.Searches[1], runs[0].Trials[2].Cell)
		err := claims.Supported([]claims.Claim{rate(1, 4)}, func(claims.Claim) []*claims.Run { return runs })
		if (err == nil) != (name == "as it was") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOf asks which runs are of a plan.
func TestOf(t *testing.T) {
	whole := plan.Plan{Name: "p", Targets: []plan.Target{{Name: "a"}, {Name: "b"}}, Shapes: []plan.Shape{{Rate: 1, Size: 10}, {Rate: 2, Size: 10}}}
	for name, c := range map[string]struct {
		change func(*plan.Plan)
		run    bool // is of the plan
		search bool
	}{
		"the same":         {func(*plan.Plan) {}, true, true},
		"one target":       {func(p *plan.Plan) { p.Targets = p.Targets[:1] }, true, true},
		"one shape":        {func(p *plan.Plan) { p.Shapes = p.Shapes[1:] }, true, true},
		"another rate":     {func(p *plan.Plan) { p.Shapes = []plan.Shape{{Rate: 3, Size: 10}} }, false, true},
		"another size":     {func(p *plan.Plan) { p.Shapes = []plan.Shape{{Rate: 1, Size: 11}} }, false, false},
		"another target":   {func(p *plan.Plan) { p.Targets = []plan.Target{{Name: "a"}, {Name: "c"}} }, false, false},
		"another name":     {func(p *plan.Plan) { p.Name = "q" }, false, false},
		"a fault":          {func(p *plan.Plan) { p.Settings.Faults = []plan.Fault{{Do: plan.Kill, Node: "1"}} }, false, false},
		"an echo":          {func(p *plan.Plan) { p.Settings.Echo = plan.EchoProcess }, false, false},
		"another duration": {func(p *plan.Plan) { p.Settings.Duration = 5e9 }, true, true},
	} {
		p := whole
		c.change(&p)
		run := &claims.Run{Set: &compare.Set{Run: results.Run{Plan: p}}}
		if got := run.Of(whole); got != c.run {
			t.Errorf("%s: the run is of the plan: %v", name, got)
		}
		run.Search = &search.Document{}
		if got := run.Of(whole); got != c.search {
			t.Errorf("%s: the search is of the plan: %v", name, got)
		}
	}
}
