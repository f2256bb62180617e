package stats_test

import (
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// The probability of each question by chance decides whether it is answered at a level.
// Those that are answered leave the others more to share.
func TestHolm(t *testing.T) {
	asked, answers := "", 0
	stats.Holm([]float64{0.04, 0.001, 0.02, 0.5}, 0.95, func(p, level float64) bool {
		asked += fmt.Sprintf("%v at %.4f; ", p, level)
		if p >= 1-level {
			return false
		}
		answers++
		return true
	})
	const want = "0.04 at 0.9875; 0.001 at 0.9875; 0.02 at 0.9875; 0.5 at 0.9875; 0.04 at 0.9833; 0.02 at 0.9833; 0.5 at 0.9833; "
	if asked != want || answers != 1 {
		t.Errorf("%d answers: %s", answers, asked)
	}
	stats.Holm(nil, 0.95, func(int, float64) bool { t.Error("nothing was asked"); return true })
}
