package stats

import "slices"

// Holm asks several questions so that the probability of any false answer stays below
// 1 − confidence (A simple sequentially rejective multiple test procedure, Scandinavian
// Journal of Statistics 6, 1979). It asks each of m questions at the level
// 1 − (1 − confidence)/m and then asks the unanswered ones again, at the level of their
// smaller number, until a round brings no answer. So an answer agrees with the interval
// at the level at which it was given. Answered reports whether a question is answered at
// a level.
func Holm[Q any](open []Q, confidence float64, answered func(q Q, level float64) bool) {
	for len(open) > 0 {
		level := 1 - (1-confidence)/float64(len(open))
		left := slices.DeleteFunc(slices.Clone(open), func(q Q) bool { return answered(q, level) })
		if len(left) == len(open) {
			return
		}
		open = left
	}
}
