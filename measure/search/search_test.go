package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
)

// objectives returns n objectives. Their values do not matter here.
func objectives(n int) (list []plan.Objective) {
	for i := range n {
		list = append(list, plan.Objective{Series: "response", Percentile: 50, Operator: "<", Limit: float64(i + 1)})
	}
	return list
}

// A curve is a target whose capacity is known for each objective: the highest rate
// at which it keeps the objective.
type curve struct {
	truth  []int
	client int                          // from this rate on the client is the limit; 0: never
	noise  func(p search.Probe) bool    // tells whether a probe misses what it should keep
	probes map[bool]map[int]int         // how often each rate was measured, by whether it confirms
	long   func(rate, truth int) bool   // whether a longer run keeps a rate; nil: as a short one
	fail   func(n int) error            // the n-th probe's error; nil: none
	judge  func(rate int) search.Answer // overrides all else if it returns one
}

func (c *curve) probe() search.ProbeFunc {
	n := 0
	c.probes = map[bool]map[int]int{false: {}, true: {}}
	return func(_ context.Context, p search.Probe) (search.Probe, error) {
		if n++; c.fail != nil && c.fail(n) != nil {
			return search.Probe{}, c.fail(n)
		}
		c.probes[p.Confirm][p.Rate]++
		for _, truth := range c.truth {
			p.Answers = append(p.Answers, search.Judgement{Answer: c.answer(p, truth), Measured: fmt.Sprint(p.Rate)})
		}
		return p, nil
	}
}

func (c *curve) answer(p search.Probe, truth int) search.Answer {
	if c.judge != nil {
		if a := c.judge(p.Rate); a != "" {
			return a
		}
	}
	kept := p.Rate <= truth
	if p.Confirm && c.long != nil {
		kept = c.long(p.Rate, truth)
	}
	switch {
	case c.client > 0 && p.Rate >= c.client:
		return search.Client
	case kept && (c.noise == nil || !c.noise(p)):
		return search.Kept
	}
	return search.Missed
}

// find searches on a curve.
func find(t testing.TB, c *curve, cfg search.Config) search.Result {
	t.Helper()
	cfg.Objectives = objectives(len(c.truth))
	r, err := search.Search(context.Background(), cfg, c.probe())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantBracket wants a row that encloses the truth to within the precision.
func wantBracket(t testing.TB, row search.Row, truth int, precision float64) {
	t.Helper()
	if row.Status != search.Found || !row.Confirmed || row.Rate > truth || row.Above <= truth ||
		row.Above > row.Rate+1 && float64(row.Above) > float64(row.Rate)*(1+precision) {
		t.Errorf("%+v, want %d enclosed to %v", row, truth, precision)
	}
}

// mostProbes is how many rates one objective needs at most: doublings, halvings of
// the ratio, and two that confirm.
func mostProbes(from, truth int, precision float64) int {
	doublings := 2 + math.Log2(float64(truth)/float64(from))
	halvings := math.Ceil(math.Log2(math.Ln2/math.Log1p(precision))) + 1 // one for rounding
	return int(math.Ceil(doublings+max(halvings, 0))) + 2
}

func TestEveryCapacityIsFoundWithinThePrecision(t *testing.T) {
	for _, precision := range []float64{0.01, 0.05, 0.3, 1} {
		for truth := 1000; truth < 700_000; truth += 1 + truth/7 {
			c := &curve{truth: []int{truth}}
			r := find(t, c, search.Config{Precision: precision})
			wantBracket(t, r.Rows[0], truth, precision)
			if n, most := len(c.probes[false])+len(c.probes[true]), mostProbes(1000, truth, precision); n > most {
				t.Errorf("truth %d to %v took %d rates, want %d at most", truth, precision, n, most)
			}
			if n := len(r.Probes); n > 3*mostProbes(1000, truth, precision) {
				t.Errorf("truth %d took %d probes", truth, n)
			}
		}
	}
}

func TestSmallRatesAreFoundExactly(t *testing.T) {
	for truth := 1; truth < 40; truth++ {
		r := find(t, &curve{truth: []int{truth}}, search.Config{From: 1})
		if row := r.Rows[0]; row.Rate != truth && float64(row.Above) > 1.05*float64(row.Rate) {
			t.Errorf("truth %d: %+v", truth, row)
		}
	}
}

// One noisy probe at each rate changes nothing, whichever probe it is.
func TestOneNoisyProbeOfEachRateIsForgiven(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		truth := 1000 + draw.IntN(500_000)
		quiet := find(t, &curve{truth: []int{truth}}, search.Config{})
		spoiled := make(map[string]bool)
		noisy := find(t, &curve{truth: []int{truth}, noise: func(p search.Probe) bool {
			key := fmt.Sprint(p.Rate, p.Confirm)
			if spoiled[key] || draw.IntN(2) == 0 {
				return false
			}
			spoiled[key] = true
			return true
		}}, search.Config{})
		got, want := noisy.Rows[0], quiet.Rows[0]
		if got != want {
			t.Errorf("truth %d: %+v, without noise %+v", truth, got, want)
		}
	}
}

func TestObjectivesShareProbes(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		c := &curve{truth: []int{1000 + draw.IntN(300_000), 1000 + draw.IntN(300_000), 1000 + draw.IntN(300_000)}}
		r := find(t, c, search.Config{})
		alone := 0
		for i, truth := range c.truth {
			wantBracket(t, r.Rows[i], truth, 0.05)
			alone += len(find(t, &curve{truth: []int{truth}}, search.Config{}).Probes)
		}
		if len(r.Probes) >= alone {
			t.Errorf("truths %v: %d probes together, %d alone", c.truth, len(r.Probes), alone)
		}
	}
}

func TestEqualObjectivesCostNothingMore(t *testing.T) {
	one := find(t, &curve{truth: []int{23_456}}, search.Config{})
	two := find(t, &curve{truth: []int{23_456, 23_456}}, search.Config{})
	if len(one.Probes) != len(two.Probes) {
		t.Errorf("%d probes for one, %d for two of the same", len(one.Probes), len(two.Probes))
	}
}

func TestTheEnds(t *testing.T) {
	for _, tt := range []struct {
		name        string
		c           curve
		cfg         search.Config
		status      search.Status
		rate, above int
		confirmed   bool
	}{
		{"not even the lowest", curve{truth: []int{999}}, search.Config{}, search.NotKept, 0, 1000, false},
		{"kept at the highest", curve{truth: []int{1e9}}, search.Config{Max: 50_000}, search.AtMax, 50_000, 0, true},
		{"the lowest is the highest", curve{truth: []int{1e9}}, search.Config{From: 7, Max: 7}, search.AtMax, 7, 0, true},
		{"the client everywhere", curve{truth: []int{1e9}, client: 1}, search.Config{}, search.ByClient, 0, 1000, false},
		{"the client at 8000", curve{truth: []int{1e9}, client: 8000}, search.Config{Precision: 1}, search.ByClient, 4000, 8000, true},
		{"unclear from 4000", curve{truth: []int{1e9}, judge: func(rate int) search.Answer {
			if rate >= 4000 {
				return search.Unclear
			}
			return ""
		}}, search.Config{Precision: 1}, search.NotKnown, 2000, 4000, true},
	} {
		row := find(t, &tt.c, tt.cfg).Rows[0]
		if row.Status != tt.status || row.Rate != tt.rate || row.Above != tt.above || row.Confirmed != tt.confirmed {
			t.Errorf("%s: %+v", tt.name, row)
		}
	}
}

// Longer runs find a lower or a higher capacity than short ones.
func TestConfirmingMovesTheRate(t *testing.T) {
	for _, tt := range []struct {
		part   float64 // of the true capacity, that long runs keep
		status search.Status
		steps  func(int) bool
	}{
		{1, search.Found, func(n int) bool { return n == 0 }},
		{0.9, search.Found, func(n int) bool { return n < 0 }},
		{1.1, search.Found, func(n int) bool { return n > 0 }},
		{0.5, search.NotKnown, func(n int) bool { return n < 0 }},
		{2, search.NotKnown, func(n int) bool { return n > 0 }},
	} {
		truth := 33_333
		carried := int(tt.part * float64(truth))
		r := find(t, &curve{truth: []int{truth}, long: func(rate, _ int) bool { return rate <= carried }}, search.Config{})
		row := r.Rows[0]
		if row.Status != tt.status || !tt.steps(row.Steps) {
			t.Errorf("long runs keep %v of it: %+v", tt.part, row)
		}
		if row.Status == search.Found && (row.Rate > carried || row.Above <= carried || float64(row.Above) > 1.051*float64(row.Rate)) {
			t.Errorf("long runs keep %d: %+v", carried, row)
		}
	}
}

func TestAnOverloadBeyondDoubtIsNotRepeated(t *testing.T) {
	c := &curve{truth: []int{3000}}
	probe := c.probe()
	_, err := search.Search(context.Background(), search.Config{Objectives: objectives(1)}, func(ctx context.Context, p search.Probe) (search.Probe, error) {
		p, err := probe(ctx, p)
		p.Answers[0].Sure = p.Answers[0].Answer == search.Missed
		return p, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rates := range c.probes {
		for rate, n := range rates {
			if n != 1 {
				t.Errorf("%d/s was measured %d times", rate, n)
			}
		}
	}
}

func TestAnErrorKeepsWhatIsKnown(t *testing.T) {
	broken := errors.New("the target is down")
	c := &curve{truth: []int{1e6}, fail: func(n int) error {
		if n == 4 {
			return broken
		}
		return nil
	}}
	r, err := search.Search(context.Background(), search.Config{Objectives: objectives(1)}, c.probe())
	if !errors.Is(err, broken) || len(r.Probes) != 3 || r.Rows[0].Status != search.Unfinished || r.Rows[0].Rate != 4000 {
		t.Errorf("%+v, %v", r, err)
	}
	// An error while the rate goes up: the step above has not been measured.
	c = &curve{truth: []int{1000}, long: func(int, int) bool { return true }}
	probe := c.probe()
	r, err = search.Search(context.Background(), search.Config{Objectives: objectives(1), Precision: 1}, func(ctx context.Context, p search.Probe) (search.Probe, error) {
		if p.Confirm && p.Rate > 2000 {
			return p, broken
		}
		return probe(ctx, p)
	})
	if row := r.Rows[0]; !errors.Is(err, broken) || row.Rate != 2000 || row.Above != 0 || row.Status != search.Unfinished {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err = search.Search(ctx, search.Config{Objectives: objectives(1)}, c.probe()); !errors.Is(err, context.Canceled) || r.Rows[0].Status != search.Unfinished {
		t.Errorf("%+v, %v", r, err)
	}
}

// Two of three probes decide who is the limit. Three that differ are unclear, and
// the reason says so.
func TestProbesThatDisagree(t *testing.T) {
	for _, tt := range []struct {
		answers []search.Answer // of the probes at 2000/s, in turn
		status  search.Status
		reason  string
		probes  int // at 2000/s
	}{
		{[]search.Answer{search.Client, search.Missed, search.Missed}, search.Found, "", 3},
		{[]search.Answer{search.Missed, search.Client, search.Client}, search.ByClient, "", 3},
		{[]search.Answer{search.Client, search.Kept, search.Missed}, search.NotKnown, "probes disagree: client, kept, missed", 3},
		{[]search.Answer{search.Unclear, search.Unclear}, search.NotKnown, "", 2},
		{[]search.Answer{search.Missed, search.Missed}, search.Found, "", 2},
		{[]search.Answer{search.Missed, search.Kept, search.Kept}, search.AtMax, "", 3},
	} {
		count := make(map[bool]int)
		r, err := search.Search(t.Context(), search.Config{Objectives: objectives(1), Max: 2000, Precision: 1}, func(_ context.Context, p search.Probe) (search.Probe, error) {
			answer := search.Kept
			if p.Rate == 2000 {
				answer = tt.answers[count[p.Confirm]%len(tt.answers)]
				count[p.Confirm]++
			}
			p.Answers = []search.Judgement{{Answer: answer, Measured: "1ms"}}
			return p, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if row := r.Rows[0]; row.Status != tt.status || row.Reason != tt.reason || count[false] != tt.probes {
			t.Errorf("%v: %+v after %d probes, want %s because %q after %d", tt.answers, row, count[false], tt.status, tt.reason, tt.probes)
		}
	}
}

// If longer runs do not confirm a rate, a longer run for another objective that kept
// this one, too, gives a lower bound.
func TestALongerRunOfAnotherObjectiveIsALowerBound(t *testing.T) {
	c := &curve{truth: []int{10_000, 50_000}, long: func(rate, _ int) bool { return rate <= 20_000 }}
	r := find(t, c, search.Config{})
	strict, lenient := r.Rows[0], r.Rows[1]
	if lenient.Status != search.NotKnown || !lenient.Confirmed || lenient.Rate < strict.Rate || lenient.Rate > 20_000 || lenient.At == "" {
		t.Errorf("%+v beside %+v, want what is confirmed of that", lenient, strict)
	}
}
