package search

import "math"

// quantile is the quantile of the normal distribution for a two-sided interval of 99 %.
// A search looks at its evidence after each probe, from every rate, and the luckiest look
// decides: at 95 % more than one search in twenty claims too much.
const quantile = 2.575829

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
// It is at least that of independent messages, and that which follows from whole windows.
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
	t.variance = max(t.variance, t.over*(1-mean), betweenWindows(list, mean))
	return t
}

// betweenWindows returns the variance of over as it follows from whole windows: a target may be
// slower in one than in another for a reason that holds for seconds on end. 0 for few windows.
func betweenWindows(list []episode, mean float64) (variance float64) {
	beyond := make(map[int]float64)
	for _, e := range list {
		beyond[e.probe] += e.over - mean*e.of
	}
	n := float64(len(beyond))
	if n < minEpisodes {
		return 0
	}
	for _, b := range beyond {
		variance += b * b * n / (n - 1)
	}
	return variance
}

// A share is a tally as a part of the measured messages.
type share struct{ mean, variance, largest float64 }

func (t tally) share() share {
	of := max(t.of, 1e-9)
	return share{t.over / of, t.variance / (of * of), t.largest / of}
}

// bounds are those of a share.
type bounds struct{ low, high float64 }

// newBounds returns the confidence interval of a share. It is taken as gamma
// distributed, with its mean and variance; for the upper bound one more episode is
// added, as large as the largest that was seen or may have been missed: then no episode
// at all gives the exact Poisson bound of 5.3 of them. Source: Fay & Feuer, Confidence
// intervals for directly standardized rates, Statistics in Medicine 16 (1997).
func newBounds(s share) bounds {
	return bounds{
		low:  min(gamma(s.mean, s.variance, -quantile), 1),
		high: min(gamma(s.mean+s.largest, s.variance+s.largest*s.largest, quantile), 1),
	}
}

// gamma returns the value that a gamma distributed one with that mean and variance does
// not exceed as often as a normal one does not exceed the quantile z. Source: Wilson &
// Hilferty, The distribution of chi-square, PNAS 17 (1931). An upper bound is 1 % off at
// worst, a lower one too low.
func gamma(mean, variance, z float64) float64 {
	if mean <= 0 || variance <= 0 {
		return max(mean, 0)
	}
	shape := mean * mean / variance
	root := 1 - 1/(9*shape) + z/(3*math.Sqrt(shape))
	return mean * math.Pow(max(root, 0), 3)
}
