package confidence

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// PausesAtMost returns the upper 95 % bound of the rate of random pauses if that many of the
// seconds had one: in a Poisson process a second has none with a probability of e^−rate. It
// is 0 if every second had one, as there is then no bound.
func PausesAtMost(with, seconds int64) float64 {
	_, share := stats.BinomialInterval(float64(min(with, seconds)), float64(seconds), 0.9) // 5 % are above it
	if share >= 1 {
		return 0
	}
	return -math.Log1p(-share)
}
