package record

import (
	"math"
	"time"
)

const stepsPerDoubling = 8

// HalfSteps is how many steps a duration and its half are apart.
const HalfSteps = stepsPerDoubling

// StepOf returns the step of 9 % that a duration is in; step 0 has 0 and less than a nanosecond.
func StepOf(d time.Duration) int {
	if d < 1 {
		return 0
	}
	return 1 + int(stepsPerDoubling*math.Log2(float64(d)))
}

// LeastIn returns the least duration that is in a step, in nanoseconds.
func LeastIn(step int) int64 {
	if step == 0 {
		return 0
	}
	return int64(math.Ceil(math.Exp2(float64(step-1) / stepsPerDoubling)))
}
