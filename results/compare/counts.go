package compare

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/exact"
	"github.com/brokerbench/brokerbench/internal/student"
)

// A tally is how often something happened in the runs of one side.
type tally struct {
	counts []float64 // in each run
	sizes  []float64 // of each run: messages, or seconds
}

func (t *tally) add(count, size float64) {
	t.counts, t.sizes = append(t.counts, count), append(t.sizes, size)
}

// rates returns how often it happened in each run, by its size.
func (t tally) rates() (list []float64) {
	for i, c := range t.counts {
		list = append(list, c/t.sizes[i])
	}
	return list
}

// sums returns how often it happened, and in how much.
func (t tally) sums() (count, size float64) {
	for i := range t.counts {
		count, size = count+t.counts[i], size+t.sizes[i]
	}
	return count, size
}

// dispersion returns how many times more the counts of runs differ than they would if
// each thing that happened were independent of the others (Pearson's χ² by its degrees
// of freedom), at least 1. A few runs tell it only roughly: it is made larger by as much
// as Student's t at the level is larger than the normal deviate.
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
	wider := student.Quantile(level, freedom) / student.Quantile(level, math.Inf(1))
	return squares / freedom * wider * wider
}

// bounds are a value and where it may be; ±Inf is unknown.
type bounds struct{ value, low, high float64 }

// minus returns the difference of two independent values, by the MOVER: see mover.
func (b bounds) minus(other bounds) bounds {
	d := b.value - other.value
	return bounds{d, d - math.Hypot(b.value-b.low, other.high-other.value), d + math.Hypot(b.high-b.value, other.value-other.low)}
}

func (b bounds) times(factor float64) bounds {
	return bounds{b.value * factor, b.low * factor, b.high * factor}
}

// shareOf bounds the share of a side's messages to which it happened.
func shareOf(t tally, level float64) bounds {
	count, size := t.sums()
	d := dispersion(level, t)
	low, high := exact.Share(count/d, size/d, level)
	return bounds{count / size, low, high}
}

// rateOf bounds how often it happens per second.
func rateOf(t tally, level, dispersion float64) bounds {
	count, size := t.sums()
	low, high := exact.Mean(count/dispersion, level)
	return bounds{count / size, low * dispersion / size, high * dispersion / size}
}

// rateRatio bounds the ratio of two rates: of all that happened on both sides, the
// number of NEW is binomial, whatever the rate of both (Przyborowski & Wilenski,
// Biometrika 31, 1940).
func rateRatio(base, next tally, level float64) bounds {
	b, bs := base.sums()
	n, ns := next.sums()
	d := dispersion(level, base, next)
	low, high := exact.Share(n/d, (b+n)/d, level)
	odds := func(share float64) float64 { return share / (1 - share) * bs / ns }
	if b+n == 0 {
		return bounds{math.NaN(), 0, math.Inf(1)}
	}
	return bounds{n / ns / (b / bs), odds(low), odds(high)}
}
