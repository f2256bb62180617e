package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/plan"
)

const ms = time.Millisecond

func objective(t *testing.T, text string) plan.Objective {
	t.Helper()
	o, err := plan.ParseObjective(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Against tables of chi-square with 2k degrees of freedom, halved: the exact bounds of
// a Poisson mean.
func TestGammaIsTheExactPoissonBound(t *testing.T) {
	for _, tt := range []struct{ shape, low, high float64 }{
		{1, 0.0253, 3.689}, {2, 0.2422, 5.572}, {3, 0.6187, 7.225}, {10, 4.795, 17.085}, {100, 81.36, 120.53},
	} {
		low, high := gamma(tt.shape, tt.shape, -1.959964), gamma(tt.shape, tt.shape, 1.959964)
		if low > 1.001*tt.low || low < tt.low-0.02 || math.Abs(high/tt.high-1) > 0.007 {
			t.Errorf("shape %v: %.4f to %.4f, want %v to %v", tt.shape, low, high, tt.low, tt.high)
		}
	}
	if gamma(0, 0, -2) != 0 || gamma(0, 0, 2) != 0 || gamma(5, 0, 2) != 5 {
		t.Error("nothing varies")
	}
}

// The interval of rare pauses, of which none, one or a few were seen, holds the truth
// in 99 % of all cases.
func TestTheIntervalOfRarePausesCovers(t *testing.T) {
	draw := rand.New(rand.NewPCG(8, 9))
	const window, pauses = 60, 2000
	for _, every := range []float64{10, 30, 100} {
		held := 0
		for range pauses {
			list := make([]episode, window)
			for i := range list {
				list[i].of = 1000
			}
			for at := draw.ExpFloat64() * every; at < window; at += draw.ExpFloat64() * every {
				list[int(at)].over += 200
			}
			own := newTally(list).share()
			own.largest = max(own.largest, 200./window/1000)
			b := newBounds(own)
			if truth := 0.2 / every; b.low <= truth && truth <= b.high {
				held++
			}
		}
		if held < pauses*985/1000 {
			t.Errorf("a pause each %v s: %d of %d intervals hold the truth", every, held, pauses)
		}
	}
}

func TestNeighbouringSecondsAreOneEpisode(t *testing.T) {
	seconds := func(over ...int64) (list []judge.Second) {
		for _, n := range over {
			list = append(list, judge.Second{Over: n, Of: 100})
		}
		return list
	}
	for _, tt := range []struct {
		over []int64
		want []float64 // messages over the limit of each episode
	}{
		{nil, nil},
		{[]int64{0, 0}, []float64{0, 0}},
		{[]int64{1, 1}, []float64{1, 1}}, // as many as are allowed
		{[]int64{0, 60, 40, 0, 20}, []float64{0, 100, 0, 20}},
		{[]int64{2, 2, 2, 2, 2, 2, 2}, []float64{10, 4}}, // that is no rare event
	} {
		got := episodes(seconds(tt.over...), 0.01)
		if len(got) != len(tt.want) {
			t.Fatalf("%v: %+v", tt.over, got)
		}
		for i, e := range got {
			if e.over != tt.want[i] || e.broken != (e.over > 1) || e.rest != (len(tt.over) == 7 && i == 1) {
				t.Errorf("%v: %+v, want %v", tt.over, got, tt.want)
			}
		}
	}
}

// A pause leaves a queue that takes longer to work off the nearer the rate is to the
// capacity: what was seen at one rate says how long it takes at another.
func TestAPauseAtAnotherRate(t *testing.T) {
	const capacity, excess = 5000., 0.195
	at := func(rate float64) float64 { return excess / (1 - rate/capacity) }
	for _, seen := range []float64{500, 2000, 4500} {
		p := pause{rate: seen, excess: excess, over: at(seen) * seen}
		for _, rate := range []int{100, 1000, 4000} {
			if got, want := p.at(rate, rate), at(float64(rate)); math.Abs(got-want) > 1e-9 {
				t.Errorf("seen at %v/s, at %d/s it takes %v, want %v", seen, rate, got, want)
			}
		}
		if got := p.at(6000, 4800); got != longestEpisode {
			t.Errorf("above the capacity it takes %v", got)
		}
	}
	two := pause{rate: 1000, excess: excess, over: 2 * 1000 * at(1000)}
	if got := two.at(2000, 4800); got > 2*at(2000) || got < two.at(1000, 4800) {
		t.Errorf("two pauses in a row take %v", got)
	}
	if got := (pause{rate: 1000, excess: 1, over: 10}).at(5000, 5000); got != 0.01 {
		t.Errorf("a pause of a few messages takes %v", got)
	}
}

func TestFewerEvents(t *testing.T) {
	minute := time.Minute
	for _, tt := range []struct {
		n, m          int
		first, second time.Duration
		want          bool
	}{
		{0, 0, minute, minute, false},
		{0, 9, minute, minute, false},
		{0, 10, minute, minute, true},
		{0, 3, 9 * minute, minute, true},
		{0, 2, 9 * minute, minute, false},
		{5, 5, minute, minute, false},
		{9, 30, minute, minute, true},
		{10, 20, minute, minute, false},
		{9, 0, minute, minute, false},
		{0, 5, 0, minute, false},
	} {
		if got := fewer(tt.n, tt.m, tt.first, tt.second); got != tt.want {
			t.Errorf("%d in %v and %d in %v: %v", tt.n, tt.first, tt.m, tt.second, got)
		}
	}
}

// window returns that many seconds with 1,000 messages each, of which the first have so
// many over the limit.
func window(seconds int, worst time.Duration, over ...int64) (list []judge.Second) {
	for i := range seconds {
		s := judge.Second{Of: 1000, Worst: ms}
		if i < len(over) {
			s.Over, s.Worst = over[i], worst
		}
		list = append(list, s)
	}
	return list
}

// Pauses that were seen at one rate count at every other, unless they come from the
// rate.
func TestPausesOfAllRatesCount(t *testing.T) {
	cfg := Config{Objectives: []plan.Objective{objective(t, "p99<5ms")}}.withDefaults()
	at := func(b *book, rate int, list []judge.Second) {
		j := Judgement{Answer: Kept, Seconds: list}
		for range leastProbes {
			b.add(Probe{Rate: rate, Window: time.Duration(len(list)) * time.Second, Answers: []Judgement{j}})
		}
	}
	quiet, paused := newBook(cfg), newBook(cfg)
	at(quiet, 1000, window(24, ms))
	at(paused, 1000, window(24, ms))
	at(quiet, 2000, window(16, ms))
	at(paused, 2000, window(16, 200*ms, 200))
	if a, ok := quiet.evidence(1000, 0).decide(); !ok || a != Kept {
		t.Errorf("without a pause: %s", a)
	}
	if a, ok := paused.evidence(1000, 0).decide(); ok {
		t.Errorf("with five pauses in 80 s at another rate: %s", a)
	}
	at(paused, 1000, window(120, ms))
	if a, ok := paused.evidence(1000, 0).decide(); !ok || a != Kept {
		t.Errorf("with none in 12 minutes at this rate: %s, %+v", a, paused.evidence(1000, 0).bounds(1))
	}
}

// Kept and missed need the same evidence: a share that is near to what is allowed
// decides nothing.
func TestBothAnswersNeedTheWholeInterval(t *testing.T) {
	for _, tt := range []struct {
		over    []int64
		windows int
		want    Answer
	}{
		{nil, 1, ""}, // one window decides nothing
		{nil, 2, Kept},
		{slices.Repeat([]int64{10}, 20), 3, ""},
		{[]int64{12, 12, 12}, 2, Kept},
		{[]int64{400, 300}, 2, ""}, // one episode in each
		{[]int64{400, 0, 400, 0, 400, 0, 400}, 2, Missed},
	} {
		e := evidence{objective: objective(t, "p99<5ms")}
		for range tt.windows {
			j := Judgement{Seconds: window(20, 6*ms, tt.over...)}
			j.complete(e.objective)
			e.add(20*time.Second, j, DefaultPause)
		}
		e.enough = tt.windows >= 2
		if got, ok := e.decide(); got != tt.want && (ok || tt.want != "") || ok != (tt.want != "") {
			t.Errorf("%v × %d: %s, %v, want %s: %+v", tt.over, tt.windows, got, ok, tt.want, e.bounds(1))
		}
	}
}

// Most of the windows decide who is the limit. If none is in front it is unclear, and
// the reason says so.
func TestWindowsThatDisagree(t *testing.T) {
	for _, tt := range []struct {
		answers []Answer
		want    Answer
		reason  string
	}{
		{[]Answer{Client, Missed, Missed}, Missed, "because"},
		{[]Answer{Missed, Kept, Client, Client}, Client, "because"},
		{[]Answer{Client, Missed}, Unclear, "probes disagree: client, missed"},
		{[]Answer{Client, Kept, Missed, Unclear}, Unclear, "because"},
		{[]Answer{Unclear, Unclear}, Unclear, "because"},
	} {
		var e evidence
		for _, a := range tt.answers {
			e.answers = append(e.answers, Judgement{Answer: a, Reason: "because"})
		}
		if got := e.blame(); got != tt.want || e.reason(got) != tt.reason {
			t.Errorf("%v: %s because %q, want %s because %q", tt.answers, got, e.reason(got), tt.want, tt.reason)
		}
	}
}
