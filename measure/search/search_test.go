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
	answer func(p search.Probe, truth int) search.Answer // nil: kept up to the truth
	probes map[bool]map[int]int                          // how often each rate was measured, by whether it confirms
}

func (c *curve) probe() search.ProbeFunc {
	c.probes = map[bool]map[int]int{false: {}, true: {}}
	return func(_ context.Context, p search.Probe) (search.Probe, error) {
		c.probes[p.Confirm][p.Rate]++
		for _, truth := range c.truth {
			answer := keptIf(p.Rate <= truth)
			if c.answer != nil {
				answer = c.answer(p, truth)
			}
			p.Answers = append(p.Answers, search.Judgement{Answer: answer, Measured: fmt.Sprint(p.Rate)})
		}
		return p, nil
	}
}

func keptIf(kept bool) search.Answer {
	if kept {
		return search.Kept
	}
	return search.Missed
}

// long has longer runs keep rates up to another one.
func long(capacity int) func(search.Probe, int) search.Answer {
	return func(p search.Probe, truth int) search.Answer {
		return keptIf(!p.Confirm && p.Rate <= truth || p.Confirm && p.Rate <= capacity)
	}
}

// from has an answer of its own from a rate on.
func from(rate int, answer search.Answer) func(search.Probe, int) search.Answer {
	return func(p search.Probe, truth int) search.Answer {
		if p.Rate >= rate {
			return answer
		}
		return keptIf(p.Rate <= truth)
	}
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
		noisy := find(t, &curve{truth: []int{truth}, answer: func(p search.Probe, truth int) search.Answer {
			key := fmt.Sprint(p.Rate, p.Confirm)
			noise := p.Rate <= truth && !spoiled[key] && draw.IntN(2) == 1
			spoiled[key] = spoiled[key] || noise
			return keptIf(p.Rate <= truth && !noise)
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
	high, coarse := []int{1e9}, search.Config{Precision: 1}
	for _, tt := range []struct {
		name        string
		c           curve
		cfg         search.Config
		status      search.Status
		rate, above int
		confirmed   bool
	}{
		{"not even the lowest", curve{truth: []int{999}}, search.Config{}, search.NotKept, 0, 1000, false},
		{"kept at the highest", curve{truth: high}, search.Config{Max: 50_000}, search.AtMax, 50_000, 0, true},
		{"the lowest is the highest", curve{truth: high}, search.Config{From: 7, Max: 7}, search.AtMax, 7, 0, true},
		{"the client everywhere", curve{truth: high, answer: from(1, search.Client)}, search.Config{}, search.ByClient, 0, 1000, false},
		{"the client at 8000", curve{truth: high, answer: from(8000, search.Client)}, coarse, search.ByClient, 4000, 8000, true},
		{"unclear from 4000", curve{truth: high, answer: from(4000, search.Unclear)}, coarse, search.NotKnown, 2000, 4000, true},
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
		r := find(t, &curve{truth: []int{truth}, answer: long(carried)}, search.Config{})
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
	for _, tt := range []struct {
		c      curve
		cfg    search.Config
		fails  func(p search.Probe) bool
		rate   int
		probes int
	}{
		{curve{truth: []int{1e6}}, search.Config{}, func(p search.Probe) bool { return p.Rate == 8000 }, 4000, 3},
		// While the rate goes up: the step above has not been measured.
		{curve{truth: []int{1000}, answer: long(1e9)}, search.Config{Precision: 1}, func(p search.Probe) bool {
			return p.Confirm && p.Rate > 2000
		}, 2000, 5},
	} {
		probe := tt.c.probe()
		tt.cfg.Objectives = objectives(1)
		r, err := search.Search(t.Context(), tt.cfg, func(ctx context.Context, p search.Probe) (search.Probe, error) {
			if tt.fails(p) {
				return p, broken
			}
			return probe(ctx, p)
		})
		row := r.Rows[0]
		if !errors.Is(err, broken) || len(r.Probes) != tt.probes || row.Status != search.Unfinished || row.Rate != tt.rate || row.Above != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := search.Search(ctx, search.Config{Objectives: objectives(1)}, nil)
	if !errors.Is(err, context.Canceled) || r.Rows[0].Status != search.Unfinished {
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
		c := &curve{truth: []int{1000}}
		c.answer = func(p search.Probe, truth int) search.Answer {
			if p.Rate <= truth {
				return search.Kept
			}
			return tt.answers[(c.probes[p.Confirm][p.Rate]-1)%len(tt.answers)]
		}
		row := find(t, c, search.Config{Max: 2000, Precision: 1}).Rows[0]
		if n := c.probes[false][2000]; row.Status != tt.status || row.Reason != tt.reason || n != tt.probes {
			t.Errorf("%v: %+v after %d probes, want %s because %q after %d", tt.answers, row, n, tt.status, tt.reason, tt.probes)
		}
	}
}

// If longer runs do not confirm a rate, a longer run for another objective that kept
// this one, too, gives a lower bound.
func TestALongerRunOfAnotherObjectiveIsALowerBound(t *testing.T) {
	c := &curve{truth: []int{10_000, 50_000}, answer: long(20_000)}
	r := find(t, c, search.Config{})
	strict, lenient := r.Rows[0], r.Rows[1]
	if lenient.Status != search.NotKnown || !lenient.Confirmed || lenient.Rate < strict.Rate || lenient.Rate > 20_000 || lenient.At == "" {
		t.Errorf("%+v beside %+v, want what is confirmed of that", lenient, strict)
	}
}
