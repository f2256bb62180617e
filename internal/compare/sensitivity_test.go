package compare

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
)

// TestSensitivity works out what 5 against 5 runs show that vary by 1 %: with 8 degrees
// of freedom t is 2.3060 for 95 % and 0.8889 for one of five, and the standard error is
// 1 %·√(2/5).
func TestSensitivity(t *testing.T) {
	e := welch(sample{runs: 5, squared: 1e-4, level: 0.95}, sample{runs: 5, squared: 1e-4, level: 0.95})
	want := math.Exp((2.3060+0.8889)*0.01*math.Sqrt(0.4) + histogram.BucketWidth)
	if got := e.shows(); got == nil || math.Abs(*got-want) > 1e-5 {
		t.Errorf("shows %v, want %v", *got, want)
	}
	if got := e.repeatsFor(math.Log(want)); got == nil || *got != 5 {
		t.Errorf("%v runs show what five do", *got)
	}
	paired := pairs([]float64{0.01, -0.01, 0.01, -0.01, 0}, 0.95)
	if got := paired.repeatsFor(needed(paired.level, paired.freedom, paired.err)); got == nil || *got != 5 {
		t.Errorf("%v pairs show what five do", *got)
	}
}

// What is not known, or takes too much, is nil.
func TestNoSensitivity(t *testing.T) {
	one := mover(sample{runs: 1, down: 1, up: 1, level: 0.95}, sample{runs: 1, down: 1, up: 1, level: 0.95})
	if one.shows() != nil || one.repeatsFor(tenPercent) != nil {
		t.Errorf("of one run a side: %+v", one)
	}
	if wide := newSample([]float64{0, 9}, 0.95); welch(wide, wide).repeatsFor(tenPercent) != nil {
		t.Error("more than 1,000 runs are asked for")
	}
	same := newSample([]float64{1, 1, 1}, 0.95)
	if e := welch(same, same); *e.shows() != *rounded(histogram.BucketWidth) || e.repeatsFor(tenPercent) == nil || *e.repeatsFor(tenPercent) != 2 {
		t.Errorf("of runs that do not vary: %v, %v", *e.shows(), e.repeatsFor(tenPercent))
	}
}
