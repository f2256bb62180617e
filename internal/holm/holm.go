// Package holm judges several questions together, so that the chance of any wrong answer
// is bounded, however many they are.
package holm

import "slices"

// StepDown asks every question at the level at which all of them are wrong at most as
// often as 1 − confidence allows: each of m at 1 − (1 − confidence)/m. Those without an
// answer are asked once more, for there are fewer of them, until none is answered (Holm,
// A simple sequentially rejective multiple test procedure, Scandinavian Journal of
// Statistics 6, 1979). So an answer and the interval that it was given with agree.
// Answered asks one question at a level, and tells whether it is answered.
func StepDown[Q any](open []Q, confidence float64, answered func(q Q, level float64) bool) {
	for len(open) > 0 {
		level := 1 - (1-confidence)/float64(len(open))
		left := slices.DeleteFunc(slices.Clone(open), func(q Q) bool { return answered(q, level) })
		if len(left) == len(open) {
			return
		}
		open = left
	}
}
