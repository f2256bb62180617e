package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// Both sides drift by a factor of three. What differs within each pair is 5 %.
func ExampleLogRatiosOf() {
	before := []float64{1.00, 1.52, 2.01, 2.48, 3.03}
	after := []float64{1.05, 1.59, 2.11, 2.61, 3.18}
	s := stats.LogRatiosOf(before, after)
	j := stats.JudgePairs([]stats.LogRatios{s}, nil, stats.Confidence)[0]
	fmt.Printf("%.3f (%.3f to %.3f) of %d pairs, shown: %v\n", j.Ratio, *j.Low, *j.High, j.Pairs, j.Shown > 0)
	n, _ := s.PairsFor(0.01, 0.95)
	fmt.Printf("±1 %% takes %d pairs\n", n)
	// Output:
	// 1.050 (1.046 to 1.053) of 5 pairs, shown: true
	// ±1 % takes 3 pairs
}

// The interval is Student's: of ±10 % in five pairs, t(0.975, 4)·0.1·√(5/4)/√5.
func TestHalfWidth(t *testing.T) {
	s := stats.LogRatios{0.1, -0.1, 0.1, -0.1, 0}
	if got, want := s.HalfWidth(0.95), 2.7764451*0.1/math.Sqrt(5)+1./1024; math.Abs(got-want) > 1e-6 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnePairShowsNothing(t *testing.T) {
	j := stats.JudgePairs([]stats.LogRatios{{2}}, nil, stats.Confidence)[0]
	if j.Shown != 0 || j.Low != nil || j.High != nil || math.Abs(j.Ratio-math.Exp(2)) > 1e-6 {
		t.Errorf("%+v", j)
	}
	if n, ok := (stats.LogRatios{2}).PairsFor(0.1, 0.95); ok {
		t.Errorf("one pair says that %d are needed", n)
	}
}

// What differs clearly leaves the others more confidence to share.
func TestJudgeStepsDown(t *testing.T) {
	certain, doubtful := stats.LogRatios{1, 1.01, 0.99, 1}, stats.LogRatios{0.06, 0.062, 0.058, 0.16}
	alone := stats.JudgePairs([]stats.LogRatios{doubtful}, nil, stats.Confidence)[0]
	j := stats.JudgePairs([]stats.LogRatios{certain, doubtful, certain}, nil, stats.Confidence)
	if j[0].Shown != 1 || j[0].Level <= j[1].Level || j[1].Level != alone.Level {
		t.Errorf("%+v, alone %+v", j, alone)
	}
	same := stats.JudgePairs([]stats.LogRatios{doubtful, {0, 0.1, -0.1}, {0, 0.1, -0.1}}, nil, stats.Confidence)
	if same[0].Shown != 0 || same[0].Level <= alone.Level {
		t.Errorf("beside others that are not shown the level is %v, alone %v", same[0].Level, alone.Level)
	}
}

// Two pairs agree by luck, but those of others in the same repeats do not.
func TestSamplesVaryAsOthersDo(t *testing.T) {
	lucky, varying := stats.LogRatios{0.4, 0.4, 0.4}, stats.LogRatios{0.4, -0.4, 0.1}
	few := []stats.LogRatios{lucky, varying, varying}
	o := stats.OthersOf(3, few, 4)
	if alone := stats.JudgePairs([]stats.LogRatios{lucky}, nil, stats.Confidence)[0]; alone.Shown != 1 {
		t.Errorf("alone: %+v", alone)
	}
	if got := stats.JudgePairs([]stats.LogRatios{lucky}, []stats.Others{o}, stats.Confidence)[0]; got.Shown != 0 || o.Targets != 3 {
		t.Errorf("beside others: %+v, %+v", got, o)
	}
	if got := stats.JudgePairs([]stats.LogRatios{lucky}, []stats.Others{stats.OthersOf(3, few, 3)}, stats.Confidence)[0]; got.Shown != 1 {
		t.Errorf("enough pairs alone: %+v", got)
	}
	for _, o := range []stats.Others{stats.OthersOf(2, few[:1], 3), stats.OthersOf(3, []stats.LogRatios{lucky, varying, varying[:2]}, 3)} {
		if o.Deviation != 0 {
			t.Errorf("%+v of two targets, or of other repeats", o)
		}
	}
}

func TestPairsToShow(t *testing.T) {
	s := stats.LogRatios{0.3, 0.1, 0.2, 0.2}
	n, ok := s.PairsToShow(0.95, stats.Others{})
	more, _ := s.PairsToShow(0.95, stats.Others{Deviation: 0.2, Targets: 3, Alone: 9})
	if !ok || n < 4 || n > 8 || more <= n {
		t.Errorf("%d pairs, and %d if others vary more", n, more)
	}
	if n, ok := (stats.LogRatios{0.1, -0.1, 0}).PairsToShow(0.95, stats.Others{}); ok {
		t.Errorf("%d pairs show no difference", n)
	}
}

// A difference that the buckets of a histogram make is none.
func TestBucketsAreNoDifference(t *testing.T) {
	if j := stats.JudgePairs([]stats.LogRatios{{0.0009, 0.0009, 0.0009}}, nil, stats.Confidence)[0]; j.Shown != 0 {
		t.Errorf("%+v", j)
	}
}

func TestPairsFor(t *testing.T) {
	s := stats.LogRatios{0.1, -0.1, 0.1, -0.1, 0}
	n, ok := s.PairsFor(0.05, 0.95)
	if !ok || n < 15 || n > 21 { // (1.96·0.1/0.0488)² = 16, and Student's t
		t.Errorf("%d, %v", n, ok)
	}
	if n, ok := s.PairsFor(0.0001, 0.95); ok {
		t.Errorf("PairsFor finds %d pairs", n)
	}
}

// One pair in which a side stalled does not blind the others.
func TestOneOutlierIsSetAside(t *testing.T) {
	quiet := stats.LogRatios{0.1, 0.11, 0.09, 0.1, 0.105, 0.095, 0.1, 0.1}
	stalled := slices.Clone(quiet)
	stalled[2] = 3
	j := stats.JudgePairs([]stats.LogRatios{stalled}, nil, stats.Confidence)[0]
	if j.Shown != 1 || j.Aside != 2 || math.Abs(j.Ratio-1.107) > 0.01 || *j.High > 1.13 {
		t.Errorf("%+v, from %v to %v", j, *j.Low, *j.High)
	}
	if got := stalled.Kept(); len(got) != 6 || slices.Contains(got, 2) {
		t.Errorf("kept %v", got)
	}
	if got, none := stalled.Outliers(), quiet.Outliers(); !slices.Equal(got, []int{2}) || none != nil {
		t.Errorf("odd are %v, and %v", got, none)
	}
	if j := stats.JudgePairs([]stats.LogRatios{stalled[:7]}, nil, stats.Confidence)[0]; j.Aside != 0 || j.Shown != 0 {
		t.Errorf("seven pairs: %+v", j)
	}
}
