package compare

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// A tally counts an event in the runs of one side.
type tally struct {
	counts []float64 // in each run
	sizes  []float64 // of each run: messages, or seconds
}

func (t *tally) add(count, size float64) {
	t.counts, t.sizes = append(t.counts, count), append(t.sizes, size)
}

// lost counts the messages of each run that are not done.
func (g group) lost() (t tally) {
	for _, trial := range g.trials {
		t.add(float64(trial.Cell.Ledger.Missing()), float64(trial.Cell.Ledger.Due))
	}
	return t
}

// rates returns the count of each run, divided by its size.
func (t tally) rates() (list []float64) {
	for i, c := range t.counts {
		list = append(list, c/t.sizes[i])
	}
	return list
}

func (t tally) sums() (count, size float64) {
	for i := range t.counts {
		count, size = count+t.counts[i], size+t.sizes[i]
	}
	return count, size
}

// dispersion returns how many times more the counts of runs vary than those of independent
// events (Pearson's χ² divided by its degrees of freedom), at least 1. A few runs
// estimate it only roughly, so it grows by as much as Student's t at the level exceeds
// the normal quantile.
func dispersion(level float64, sides ...tally) float64 {
	squares, freedom := 0., 0.
	for _, t := range sides {
		count, size := t.sums()
		if count == 0 {
			continue
		}
		freedom += float64(len(t.counts) - 1)
		for i, c := range t.counts {
			expected := count * t.sizes[i] / size
			squares += (c - expected) * (c - expected) / expected
		}
	}
	if squares <= freedom {
		return 1
	}
	wider := stats.StudentQuantile(level, freedom) / stats.NormalQuantile(level)
	return squares / freedom * wider * wider
}

// bounds are a value and its interval; ±Inf is unknown.
type bounds struct{ value, low, high float64 }

// minus returns the difference of two independent values, by the MOVER (Zou & Donner,
// Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008): the
// lowest of one and the highest of the other at once are less likely than either.
func (b bounds) minus(other bounds) bounds {
	d := b.value - other.value
	return bounds{d, d - math.Hypot(b.value-b.low, other.high-other.value), d + math.Hypot(b.high-b.value, other.value-other.low)}
}

func (b bounds) times(factor float64) bounds {
	return bounds{b.value * factor, b.low * factor, b.high * factor}
}

// shareOf bounds the share of a side's messages that were counted.
func shareOf(t tally, level float64) bounds {
	var runs []confidence.Cluster
	for i, count := range t.counts {
		runs = append(runs, confidence.Cluster{Count: count, Of: t.sizes[i]})
	}
	value, low, high := confidence.Share(level, runs...)
	return bounds{value, low, high}
}

func rateOf(t tally, level, dispersion float64) bounds {
	count, size := t.sums()
	low, high := stats.PoissonInterval(count/dispersion, level)
	return bounds{count / size, low * dispersion / size, high * dispersion / size}
}

// rateRatio bounds the ratio of two rates. Given the count of both sides together, that of
// NEW is binomial, whatever the rate (Przyborowski & Wilenski, Biometrika 31, 1940).
func rateRatio(base, next tally, level float64) bounds {
	b, bs := base.sums()
	n, ns := next.sums()
	d := dispersion(level, base, next)
	low, high := stats.BinomialInterval(n/d, (b+n)/d, level)
	odds := func(share float64) float64 { return share / (1 - share) * bs / ns }
	if b+n == 0 {
		return bounds{math.NaN(), 0, math.Inf(1)}
	}
	return bounds{n / ns / (b / bs), odds(low), odds(high)}
}
