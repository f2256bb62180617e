package confidence

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// A sample is values in ascending order, and messages without a value, which rank above
// every value.
type sample struct {
	values  distribution
	missing int64
}

// due returns the number of messages with and without a value.
func (s sample) due() int64 { return s.values.count() + s.missing }

// pivot returns the value at which the design effect of a percentile is measured: the
// percentile, or that of rank l if the percentile is a missing message.
func (s sample) pivot(p float64, l int64) time.Duration {
	rank := rankOf(p, s.due())
	if rank > s.values.count() {
		rank = l
	}
	return s.values.at(min(max(rank, 1), s.values.count()))
}

// rankOf returns the rank of a percentile among n messages, as [histogram.Histogram.QuantileOf]
// does: one step below p, because 99.9 % of 1000 is a little more than 999.
func rankOf(p float64, n int64) int64 {
	return max(int64(math.Ceil(math.Nextafter(p, 0)*float64(n)/100)), 1)
}

// interval returns the interval of a percentile: that of order statistics for as many
// values as are independent, by the design effect at a value. For few of them it is safe and
// often open, so that [sample.byOdds] decides whether the value is of use.
func (s sample) interval(p, level float64, effect func(at time.Duration) designEffect) Interval {
	n := s.due()
	l, u := ranks(n, p/100, level)
	e := effect(s.pivot(p, l))
	if independent := float64(n) / e.widened; independent < float64(n) {
		low, high := spread(n, int64(max(independent, 1)), p/100, level)
		l, u = min(l, low), max(u, high)
	}
	i := s.between(l, u, float64(n)*(1-p/100)/e.plain)
	i.Wide = s.byOdds(p, level, e).Wide
	return i
}

// byOdds returns the interval of a percentile that ends where the share of values above differs
// from that of the percentile by more than chance, if the logarithm of its odds is normal.
func (s sample) byOdds(p, level float64, e designEffect) Interval {
	n, above := float64(s.due()), 1-p/100
	odds, factor := above/(1-above), math.Exp(stats.NormalQuantile(level)*math.Sqrt(e.widened/(n*above*(1-above))))
	return s.between(int64(n/(1+odds*factor)), int64(math.Ceil(n/(1+odds/factor)))+1, n*above/e.plain)
}

// between returns the interval between two ranks. Few events above it do not bound it.
func (s sample) between(l, u int64, events float64) (i Interval) {
	i.Low, i.LowKnown = s.value(l)
	if events >= MinEvents {
		i.High, i.HighKnown = s.value(u)
	}
	i.Wide = !i.LowKnown || !i.HighKnown || i.High > 2*i.Low
	return i
}

// value returns the value of a rank, if that rank has one.
func (s sample) value(rank int64) (v time.Duration, known bool) {
	if rank < 1 || rank > s.values.count() {
		return 0, false
	}
	return s.values.at(rank), true
}
