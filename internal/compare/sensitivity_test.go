package compare

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// TestSensitivity works out what 5 against 5 runs show that vary by 1 %: with 8 degrees
// of freedom t is 2.3060 for 95 % and 0.8889 for one of five, and the standard error is
// 1 %·√(2/5).
func TestSensitivity(t *testing.T) {
	const d = 0.01 // values at ±d and 0, of which two each, have a variance of d²
	five := []float64{d, -d, d, -d, 0}
	e := welch(five, five, 0.95)
	want := math.Exp((2.3060+0.8889)*0.01*math.Sqrt(0.4) + histogram.BucketWidth)
	if got := e.shows(); got == nil || math.Abs(*got-want) > 1e-5 {
		t.Errorf("shows %v, want %v", *got, want)
	}
	if got := e.repeatsFor(math.Log(want)); got == nil || *got != 5 {
		t.Errorf("%v runs show what five do", *got)
	}
	paired := pairs(sample{base: make([]float64, 5), next: five}, 0.95)
	if got := paired.repeatsFor(needed(paired.level, paired.freedom, paired.err) + 1e-12); got == nil || *got != 5 {
		t.Errorf("%v pairs show what five do", *got)
	}
}

// What is not known, or takes too much, is nil.
func TestNoSensitivity(t *testing.T) {
	one := couple{base: single(time.Millisecond), next: single(time.Millisecond)}.estimate(sample{base: []float64{1}, next: []float64{1}}, 0.95, 50)
	if one.shows() != nil || one.repeatsFor(tenPercent) != nil {
		t.Errorf("of one run a side: %+v", one)
	}
	if wide := []float64{0, 9}; welch(wide, wide, 0.95).repeatsFor(tenPercent) != nil {
		t.Error("more than 1,000 runs are asked for")
	}
	same := []float64{1, 1, 1}
	if e := welch(same, same, 0.95); *e.shows() != *rounded(histogram.BucketWidth) || e.repeatsFor(tenPercent) == nil || *e.repeatsFor(tenPercent) != 2 {
		t.Errorf("of runs that do not vary: %v, %v", *e.shows(), e.repeatsFor(tenPercent))
	}
}
