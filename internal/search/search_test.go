package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/search"
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
			p.Answers = append(p.Answers, search.Judgement{
				Answer: answer, Measured: fmt.Sprint(p.Rate), Seconds: seconds(p, answer == search.Kept),
			})
		}
		return p, nil
	}
}

// seconds returns a window in which no message is over the limit, or every one.
func seconds(p search.Probe, kept bool) (list []judge.Second) {
	for at := time.Duration(0); at < p.Window; at += time.Second {
		s := judge.Second{Of: int64(float64(p.Rate) * min(p.Window-at, time.Second).Seconds())}
		if !kept {
			s.Over, s.Worst = s.Of, 2*time.Nanosecond // no pause
		}
		list = append(list, s)
	}
	return list
}

func keptIf(kept bool) search.Answer {
	if kept {
		return search.Kept
	}
	return search.Missed
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
	if row.Status != search.Found || row.At == nil || row.Over == nil || row.Rate > truth || row.Above <= truth ||
		row.Above > row.Rate+1 && float64(row.Above) > float64(row.Rate)*(1+precision) {
		t.Errorf("%+v, want %d enclosed to %v", row, truth, precision)
	}
}

// mostProbes is how many rates one objective needs at most: doublings, halvings of
// the ratio, two that confirm, one that is checked after overloads, and one below the answer.
func mostProbes(from, truth int, precision float64) int {
	doublings := 2 + math.Log2(float64(truth)/float64(from))
	halvings := math.Ceil(math.Log2(math.Ln2/math.Log1p(precision))) + 1 // one for rounding
	return int(math.Ceil(doublings+max(halvings, 0))) + 4
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

// Every kind of objective is decided, each by what it limits.
func TestEveryKindOfObjectiveIsFound(t *testing.T) {
	for _, text := range []string{"p50<1s", "p99<1s", "p99.9<1s", "max<1s", "lag.p99<1s", "loss<1%", "loss<=0%", "rate>99%"} {
		c := &curve{truth: []int{23_456}}
		cfg := search.Config{Objectives: []plan.Objective{parse(t, text)}}
		r, err := search.Search(t.Context(), cfg, c.probe())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d probes, %v", text, len(r.Probes), r.Took)
		wantBracket(t, r.Rows[0], 23_456, 0.05)
		if r.Took > 6*time.Minute {
			t.Errorf("%s took %v", text, r.Took)
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

// A noisy short probe at each rate costs time, but makes no bracket wrong.
func TestOneNoisyProbeOfEachRateIsForgiven(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200 {
		truth := 1000 + draw.IntN(500_000)
		spoiled := make(map[int]bool)
		noisy := find(t, &curve{truth: []int{truth}, answer: func(p search.Probe, truth int) search.Answer {
			noise := p.Rate <= truth && !p.Confirm && !spoiled[p.Rate] && draw.IntN(2) == 1
			spoiled[p.Rate] = spoiled[p.Rate] || noise
			return keptIf(p.Rate <= truth && !noise)
		}}, search.Config{})
		row := noisy.Rows[0]
		if row.Rate > truth || row.Above > 0 && row.Above <= truth {
			t.Errorf("%+v, but the truth is %d", row, truth)
		}
		if row.Status == search.Found {
			found++
		}
	}
	if found < 150 {
		t.Errorf("found in %d of 200 searches", found)
	}
}

// One stall at a low rate does not keep the search from the rates above it.
func TestOneStallDoesNotStandInTheWay(t *testing.T) {
	c, stalled := &curve{truth: []int{40_000}}, false
	probe, cfg := c.probe(), search.Config{Objectives: []plan.Objective{parse(t, "p99<300ms")}}
	r, err := search.Search(t.Context(), cfg, func(ctx context.Context, p search.Probe) (search.Probe, error) {
		p, err := probe(ctx, p)
		if p.Rate == 2000 && !stalled {
			stalled = true
			p.Answers[0] = search.Judgement{Seconds: seconds(p, true)}
			w := p.Answers[0].Seconds
			w[1].Over, w[1].Worst, w[2].Over = 2000, 3*time.Second/2, 430 // and a queue of 15 ms
		}
		return p, err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantBracket(t, r.Rows[0], 40_000, 0.05)
	var below time.Duration
	for _, p := range r.Probes {
		if p.Rate <= 2000 {
			below += p.Window
		}
	}
	if below > 4*time.Minute {
		t.Errorf("%v at rates up to the stall", below)
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
	}{
		{"not even the lowest", curve{truth: []int{999}}, search.Config{}, search.NotKept, 0, 1000},
		{"kept at the highest", curve{truth: high}, search.Config{Max: 50_000}, search.AtMax, 50_000, 0},
		{"the lowest is the highest", curve{truth: high}, search.Config{From: 7, Max: 7}, search.AtMax, 7, 0},
		{"the client everywhere", curve{truth: high, answer: from(1, search.Client)}, search.Config{}, search.ByClient, 0, 1000},
		{"the client at 8000", curve{truth: high, answer: from(8000, search.Client)}, coarse, search.ByClient, 4000, 8000},
		{"unclear from 4000", curve{truth: high, answer: from(4000, search.Unclear)}, coarse, search.NotKnown, 2000, 4000},
	} {
		row := find(t, &tt.c, tt.cfg).Rows[0]
		if row.Status != tt.status || row.Rate != tt.rate || row.Above != tt.above {
			t.Errorf("%s: %+v", tt.name, row)
		}
	}
}

// An overload beyond doubt is measured once on the way, and once more where it decides.
func TestAnOverloadBeyondDoubtIsRepeatedOnce(t *testing.T) {
	c := &curve{truth: []int{3000}}
	probe := c.probe()
	r, err := search.Search(context.Background(), search.Config{Objectives: objectives(1)}, func(ctx context.Context, p search.Probe) (search.Probe, error) {
		p, err := probe(ctx, p)
		p.Answers[0].Sure = p.Answers[0].Answer == search.Missed
		return p, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rate, n := range c.probes[false] {
		want := 1
		if rate == r.Rows[0].Above {
			want = 2
		}
		if n += c.probes[true][rate]; rate > 3000 && n != want {
			t.Errorf("%d/s was measured %d times", rate, n)
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
		{curve{truth: []int{1e6}}, search.Config{}, func(p search.Probe) bool { return p.Rate == 8000 }, 0, 3}, // nothing is decided yet
		{curve{truth: []int{1000}}, search.Config{Precision: 1, Confirm: 5 * time.Second}, func(p search.Probe) bool {
			return p.Confirm && p.Rate == 2000
		}, 0, 2},
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

// A cell that fell behind its rate does not keep the objective, whatever share of its
// messages is over the limit.
func TestARateThatWasNotReachedIsNotKept(t *testing.T) {
	c := &curve{truth: []int{1000}}
	probe := c.probe()
	r, err := search.Search(t.Context(), search.Config{Objectives: objectives(1), Max: 2000, Precision: 1}, func(ctx context.Context, p search.Probe) (search.Probe, error) {
		p, err := probe(ctx, p)
		p.Answers[0].Seconds = seconds(p, true)
		return p, err
	})
	if row := r.Rows[0]; err != nil || row.Status != search.Found || row.Rate != 1000 || row.Above != 2000 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What was not seen must be excluded: p99.9 takes 1,040 s at rates without a pause, so
// that one of 200 ms is not as rare as would do.
func TestAPauseThatWasNotSeenIsExcluded(t *testing.T) {
	limit := parse(t, "p99.9<5ms")
	for _, tt := range []struct {
		pause, atMost, least, most time.Duration
		status                     search.Status
	}{
		{0, 0, 1030 * time.Second, 1200 * time.Second, search.Found},
		{-1, 0, 60 * time.Second, 200 * time.Second, search.Found},
		{0, 10 * time.Minute, 500 * time.Second, 600 * time.Second, search.NotDecided},
	} {
		c := &curve{truth: []int{40_000}}
		probe, cfg := c.probe(), search.Config{Objectives: []plan.Objective{limit}, Pause: tt.pause, AtMost: tt.atMost}
		r, err := search.Search(t.Context(), cfg, probe)
		row := r.Rows[0]
		if err != nil || row.Status != tt.status || r.Took < tt.least || r.Took > tt.most {
			t.Errorf("pause %v: %+v after %v, %v", tt.pause, row, r.Took, err)
		}
		if row.Status == search.NotDecided && (row.Rate != 0 || row.Above <= 40_000 || row.Needs < 17*time.Minute || row.Needs > 20*time.Minute) {
			t.Errorf("%+v, want the time that it needs", row)
		}
		if row.Status == search.Found && (row.At.High > 0.001 || row.At.Rarer < row.At.Window/3) {
			t.Errorf("at %+v", row.At)
		}
	}
}

// A search ends in its time, with all that its probes take.
func TestASearchEndsInItsTime(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		cfg := search.Config{Objectives: objectives(1), AtMost: time.Duration(20+draw.IntN(300)) * time.Second}
		r, err := search.Search(t.Context(), cfg, func(_ context.Context, p search.Probe) (search.Probe, error) {
			p.Answers, p.Took = []search.Judgement{{Seconds: seconds(p, draw.IntN(2) == 1)}}, p.Rest+p.Window+3*time.Second
			return p, nil
		})
		if err != nil || r.Took > cfg.AtMost+3*time.Second {
			t.Errorf("%v of %v, %v", r.Took, cfg.AtMost, err)
		}
	}
}
