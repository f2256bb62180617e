package paired_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/results/paired"
)

// Both sides drift by a factor of three. What differs within each pair is 5 %.
func ExampleOf() {
	before := []float64{1.00, 1.52, 2.01, 2.48, 3.03}
	after := []float64{1.05, 1.59, 2.11, 2.61, 3.18}
	s := paired.Of(before, after)
	j := paired.Judge([]paired.Sample{s}, paired.Confidence)[0]
	fmt.Printf("%.3f (%.3f to %.3f) of %d pairs, shown: %v\n", j.Ratio, *j.Low, *j.High, j.Pairs, j.Shown > 0)
	n, _ := s.Needed(0.01, 0.95)
	fmt.Printf("±1 %% takes %d pairs\n", n)
	// Output:
	// 1.050 (1.046 to 1.053) of 5 pairs, shown: true
	// ±1 % takes 3 pairs
}

// The interval is Student's: of ±10 % in five pairs, t(0.975, 4)·0.1·√(5/4)/√5.
func TestHalfWidth(t *testing.T) {
	s := paired.Sample{0.1, -0.1, 0.1, -0.1, 0}
	if got, want := s.HalfWidth(0.95), 2.7764451*0.1/math.Sqrt(5)+1./1024; math.Abs(got-want) > 1e-6 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnePairShowsNothing(t *testing.T) {
	j := paired.Judge([]paired.Sample{{2}}, paired.Confidence)[0]
	if j.Shown != 0 || j.Low != nil || j.High != nil || math.Abs(j.Ratio-math.Exp(2)) > 1e-6 {
		t.Errorf("%+v", j)
	}
	if n, ok := (paired.Sample{2}).Needed(0.1, 0.95); ok {
		t.Errorf("one pair says that %d are needed", n)
	}
}

// What differs clearly leaves the others more confidence to share.
func TestJudgeStepsDown(t *testing.T) {
	certain, doubtful := paired.Sample{1, 1.01, 0.99, 1}, paired.Sample{0.06, 0.062, 0.058, 0.16}
	alone := paired.Judge([]paired.Sample{doubtful}, paired.Confidence)[0]
	j := paired.Judge([]paired.Sample{certain, doubtful, certain}, paired.Confidence)
	if j[0].Shown != 1 || j[0].Level <= j[1].Level || j[1].Level != alone.Level {
		t.Errorf("%+v, alone %+v", j, alone)
	}
	same := paired.Judge([]paired.Sample{doubtful, {0, 0.1, -0.1}, {0, 0.1, -0.1}}, paired.Confidence)
	if same[0].Shown != 0 || same[0].Level <= alone.Level {
		t.Errorf("beside others that are not shown the level is %v, alone %v", same[0].Level, alone.Level)
	}
}

func TestInverse(t *testing.T) {
	j := paired.Judge([]paired.Sample{{0.5, 0.51, 0.52}}, paired.Confidence)[0]
	i := j.Inverse()
	if i.Shown != -1 || math.Abs(i.Ratio*j.Ratio-1) > 1e-6 || math.Abs(*i.Low**j.High-1) > 1e-6 || math.Abs(*i.High**j.Low-1) > 1e-6 {
		t.Errorf("%+v of %+v", i, j)
	}
	if back := i.Inverse(); math.Abs(back.Ratio-j.Ratio) > 1e-6 {
		t.Errorf("%+v", back)
	}
}

// A difference that the buckets of a histogram make is none.
func TestBucketsAreNoDifference(t *testing.T) {
	if j := paired.Judge([]paired.Sample{{0.0009, 0.0009, 0.0009}}, paired.Confidence)[0]; j.Shown != 0 {
		t.Errorf("%+v", j)
	}
}

func TestNeeded(t *testing.T) {
	s := paired.Sample{0.1, -0.1, 0.1, -0.1, 0}
	n, ok := s.Needed(0.05, 0.95)
	if !ok || n < 15 || n > 21 { // (1.96·0.1/0.0488)² = 16, and Student's t
		t.Errorf("%d, %v", n, ok)
	}
	if n, ok := s.Needed(0.0001, 0.95); ok {
		t.Errorf("narrower than a bucket with %d pairs", n)
	}
}

// One pair in which a side stalled does not blind the others.
func TestOneOddPairIsSetAside(t *testing.T) {
	quiet := paired.Sample{0.1, 0.11, 0.09, 0.1, 0.105, 0.095, 0.1, 0.1}
	stalled := slices.Clone(quiet)
	stalled[2] = 3
	j := paired.Judge([]paired.Sample{stalled}, paired.Confidence)[0]
	if j.Shown != 1 || j.Aside != 2 || math.Abs(j.Ratio-1.107) > 0.01 || *j.High > 1.13 {
		t.Errorf("%+v, from %v to %v", j, *j.Low, *j.High)
	}
	if got := stalled.Kept(); len(got) != 6 || slices.Contains(got, 2) {
		t.Errorf("kept %v", got)
	}
	if got, none := stalled.Odd(), quiet.Odd(); !slices.Equal(got, []int{2}) || none != nil {
		t.Errorf("odd are %v, and %v", got, none)
	}
	if j := paired.Judge([]paired.Sample{stalled[:7]}, paired.Confidence)[0]; j.Aside != 0 || j.Shown != 0 {
		t.Errorf("seven pairs: %+v", j)
	}
}
