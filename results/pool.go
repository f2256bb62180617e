package results

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
)

// Pool returns one series of repeats, for the statistics of all their messages. A
// distribution of an earlier version has no histogram; its values are taken from its
// percentiles.
func Pool(repeats []Distribution) *confidence.Pool {
	scratch := histogram.New()
	var list []confidence.Repeat
	for _, d := range repeats {
		events := func(percentile float64) float64 {
			row, _ := d.At(percentile)
			return row.Events
		}
		list = append(list, confidence.NewRepeat(d.buckets(scratch), d.Missing, events))
	}
	return confidence.NewPool(list...)
}

// buckets returns the values of a distribution; scratch is overwritten.
func (d Distribution) buckets(scratch *histogram.Histogram) iter.Seq2[time.Duration, int64] {
	scratch.Reset()
	if d.Histogram == "" || new(histogram.Decoder).AddText(d.Histogram, scratch) != nil || scratch.Count() != d.Count {
		return d.interpolated
	}
	return scratch.Buckets()
}

// interpolated yields values between the known percentiles.
func (d Distribution) interpolated(yield func(v time.Duration, count int64) bool) {
	var known []confidence.Rank
	for _, row := range d.Percentiles {
		value, ok := row.Value()
		if !ok {
			break
		}
		known = append(known, confidence.Rank{Value: value, UpTo: min(d.Count+d.Missing-row.SamplesAbove, d.Count)})
	}
	confidence.Interpolate(time.Duration(d.MinNS), time.Duration(d.MaxNS), d.Count, known, yield)
}

// Pooled returns the distribution of all repeats together, with intervals by how they
// differ. It is that of the repeat if there is only one with a due message. It has no mean.
func Pooled(repeats []Distribution) (sum Distribution) {
	repeats = slices.DeleteFunc(slices.Clone(repeats), func(d Distribution) bool { return d.Count+d.Missing == 0 })
	if len(repeats) == 1 {
		return repeats[0]
	}
	for _, d := range repeats {
		if sum.Count == 0 || d.Count > 0 && d.MinNS < sum.MinNS {
			sum.MinNS = d.MinNS
		}
		sum.Count, sum.Missing, sum.Clamped = sum.Count+d.Count, sum.Missing+d.Missing, sum.Clamped+d.Clamped
		sum.MaxNS = max(sum.MaxNS, d.MaxNS)
	}
	pool := Pool(repeats)
	for _, p := range Percentiles() {
		sum.Percentiles = append(sum.Percentiles, sum.pooled(pool, repeats, p))
	}
	return sum
}

// pooled returns the row of a percentile.
func (d Distribution) pooled(pool *confidence.Pool, repeats []Distribution, percentile float64) Percentile {
	row := Percentile{Percentile: percentile, SamplesAbove: d.Missing}
	v, known := time.Duration(d.MaxNS), d.Missing == 0 && d.Count > 0
	if percentile < 100 {
		v, row.SamplesAbove, known = pool.Value(percentile)
	}
	if v = min(v, time.Duration(d.MaxNS)); known {
		row.ValueNS = new(int64(v))
	}
	row.Trusted = known && (row.SamplesAbove >= histogram.MinAbove || percentile == 100)
	events, ok := pool.Events(percentile)
	i, _ := pool.Interval(confidence.Level, percentile)
	i.High = min(i.High, time.Duration(d.MaxNS)) // which its bucket may exceed
	row.Bound(i, events, ok)
	row.limit(pool.From(v), repeats)
	return row
}

// Bound sets the interval of a percentile, and the number of independent events above it, if
// they are known. If only the upper bound is, the lower one is 0: no response takes less.
func (p *Percentile) Bound(i confidence.Interval, events float64, known bool) {
	if !known {
		return
	}
	p.Events = max(math.Round(10*events)/10, 0.1)
	p.Trusted = p.Trusted && events >= confidence.MinEvents && !i.Wide
	if i.LowKnown || i.HighKnown {
		p.LowNS = new(int64(i.Low))
	}
	if i.HighKnown {
		p.HighNS = new(int64(i.High))
	}
}

// limit sets the use of a percentile of repeats. A problem limits it if it does so in the
// repeats that have at least half of the messages from the value on: they are what the
// percentile is made of.
func (p *Percentile) limit(from []int64, repeats []Distribution) {
	all, limited := int64(0), make(map[Code]int64)
	var codes []Code
	for i, d := range repeats {
		all += from[i]
		row, _ := d.At(p.Percentile)
		for _, code := range row.LimitedBy {
			codes, limited[code] = append(codes, code), limited[code]+from[i]
		}
	}
	for _, code := range codes {
		few := code == CodeWindow || code == CodeSamples || code == CodeRare // of one repeat, not of all
		if !few && 2*limited[code] >= all && !slices.Contains(p.LimitedBy, code) {
			p.LimitedBy = append(p.LimitedBy, code)
		}
	}
	if code := p.thin(); code != "" {
		p.LimitedBy = append(p.LimitedBy, code)
	}
	p.use()
}
