package search

import "math"

// quantile is that of the normal distribution for an interval of 95 %: 2.5 % are on
// each side.
const quantile = 1.959963984540054

// A tally sums up the episodes of one rate: how many messages were over the limit,
// and how much that would vary from one measurement to the next.
type tally struct {
	over, of float64 // messages
	variance float64 // of over
	largest  float64 // what the largest episode had over its share, in messages
}

// newTally sums up episodes. The variance is that of a sum of independent episodes
// whose number is random, like that of rare pauses; with three episodes or more it is
// taken around their mean, so that what is always over the limit does not seem to vary.
// It is at least that of independent messages.
func newTally(list []episode) (t tally) {
	for _, e := range list {
		t.over, t.of = t.over+e.over, t.of+e.of
	}
	mean, m := t.share().mean, float64(len(list))
	for _, e := range list {
		beyond := e.over - mean*e.of
		t.largest = max(t.largest, beyond)
		if m < minEpisodes {
			beyond = e.over
		}
		t.variance += beyond * beyond
	}
	if m >= minEpisodes {
		t.variance *= m / (m - 1)
	}
	t.variance = max(t.variance, t.over*(1-mean))
	return t
}

// A share is a tally as a part of what was measured.
type share struct{ mean, variance, largest float64 }

func (t tally) share() share {
	of := max(t.of, 1e-9)
	return share{t.over / of, t.variance / (of * of), t.largest / of}
}

// bounds are those of a share.
type bounds struct{ low, high float64 }

// newBounds returns the 95 % confidence interval of a share. It is taken as gamma
// distributed, with its mean and variance; for the upper bound one more episode is
// added, as large as the largest that was seen or may have been missed: then no episode
// at all gives the exact Poisson bound of 3.7 of them. Source: Fay & Feuer, Confidence
// intervals for directly standardized rates, Statistics in Medicine 16 (1997).
func newBounds(mean, variance, largest float64) bounds {
	return bounds{
		low:  min(gamma(mean, variance, -1), 1),
		high: min(gamma(mean+largest, variance+largest*largest, 1), 1),
	}
}

// gamma returns a bound of a gamma distributed value with that mean and variance: the
// lower one if side is −1, the upper one if it is 1. Source: Wilson & Hilferty, The
// distribution of chi-square, PNAS 17 (1931). The upper bound is 0.6 % too low at
// worst, the lower one too low.
func gamma(mean, variance, side float64) float64 {
	if mean <= 0 || variance <= 0 {
		return max(mean, 0)
	}
	shape := mean * mean / variance
	root := 1 - 1/(9*shape) + side*quantile/(3*math.Sqrt(shape))
	return mean * math.Pow(max(root, 0), 3)
}
