package confidence

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// longest is the largest block, as a share of the intervals: it takes at least three
// blocks to see how blocks differ.
const longest = 1. / 3

// variance returns the variance of the sum of e, whose mean is 0, over circular
// block bootstrap samples. A sample has as many values as e. It is put together from
// blocks of neighbours, which begin anywhere and continue at the start when they
// reach the end.
//
// No sample is drawn. Blocks are independent of each other, so the variance of the
// sum is the number of blocks times the variance of one block, which is a mean over
// the len(e) blocks there are: the limit of infinitely many replicates. Source: Künsch, The
// jackknife and the bootstrap for general stationary observations, Annals of
// Statistics 17 (1989); Politis & Romano, A circular block-resampling procedure
// for stationary data (1992).
func variance(e []float64, block int) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range e[:block] {
		sum += v
	}
	for i, v := range e {
		squares += sum * sum
		sum += e[(i+block)%len(e)] - v
	}
	return squares / float64(block)
}

// blockLength returns twice the length of block for which [variance] has the
// least mean square error, between the cube root of len(e) and a third of it.
//
// The best length is (6ρ²/(1−ρ²)²·m)^(1/3) for m values of an autoregressive
// process of order 1 (Politis & White, Automatic block-length selection for the
// dependent bootstrap, Econometric Reviews 23 (2004), with their general formula
// applied to that process). The estimate of ρ is corrected for its bias of
// −(1+4ρ)/m (Marriott & Pope, Biometrika 41 (1954)). The length is doubled because
// blocks must be longer for an interval to cover than for a variance to be close
// (Sun, Phillips & Jin, Econometrica 76 (2008)): see docs/simulations/coverage.md.
func blockLength(e []float64) int {
	m := float64(len(e))
	rho := autocorrelation(e)
	rho = min(max(rho+(1+4*rho)/m, 0), 0.99)
	ratio := rho / (1 - rho*rho)
	best := math.Cbrt(6 * m * ratio * ratio)
	return int(max(min(max(2*best, math.Ceil(math.Cbrt(m))), m*longest), 1))
}

// autocorrelation returns the correlation of neighbours in e, whose mean is 0.
func autocorrelation(e []float64) float64 {
	products, squares := 0.0, e[0]*e[0]
	for i, v := range e[1:] {
		products += e[i] * v
		squares += v * v
	}
	if squares == 0 {
		return 0
	}
	return products / squares
}

// inflation returns the factor that turns a variance estimated from blocks of that
// length into one that may be used as if it were known. There are two reasons for it.
// Blocks vary around the mean of the same values and not around the true one, which
// takes away a share of block/m. And with k = m/block blocks the estimate itself has
// about 1.5·(k−1) degrees of freedom, so Student's t takes the place of z.
// Source: Meketon & Schmeiser, Overlapping batch means: something for nothing?,
// Winter Simulation Conference (1984).
func inflation(m, block int, level float64) float64 {
	k := float64(m) / float64(block)
	wider := stats.StudentQuantile(level, 1.5*(k-1)) / stats.NormalQuantile(level)
	return k / (k - 1) * wider * wider
}
