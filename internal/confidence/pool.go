package confidence

import (
	"iter"
	"time"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// A Repeat is one of several measurements of the same thing. It is some kB large, however
// many messages it has.
type Repeat struct {
	sample

	events func(percentile float64) float64
}

// NewRepeat returns the repeat with so many messages without a value and, of those with one,
// how many are in each bucket: see [histogram.Histogram.Buckets]. Events tells how many
// independent events are above a percentile, 0 if that is unknown; it may be nil.
func NewRepeat(buckets iter.Seq2[time.Duration, int64], missing int64, events func(percentile float64) float64) Repeat {
	r := Repeat{sample{missing: max(missing, 0)}, events}
	for v, count := range buckets {
		r.values = append(r.values, step{v, r.values.count() + count})
	}
	return r
}

// A Pool is repeats taken together: its percentiles are those of all their messages, and
// its intervals show how much the repeats differ. The share of messages up to a value is a
// ratio of two sums over repeats, which are the clusters of a sample (Woodruff, Confidence
// intervals for medians and other position measures, Journal of the American Statistical
// Association 47, 1952; Cochran, Sampling Techniques, 1977, section 6.3). Missing messages
// rank above every value. Repeats of a system that is not the same each time are draws of
// its states: more repeats narrow the interval, longer ones do not.
type Pool struct {
	sample

	repeats []Repeat
}

// NewPool pools repeats. Those for which nothing was due do not count.
func NewPool(repeats ...Repeat) *Pool {
	p := new(Pool)
	for _, r := range repeats {
		if r.due() > 0 {
			p.repeats, p.missing = append(p.repeats, r), p.missing+r.missing
		}
	}
	p.values = together(p.repeats)
	return p
}

// together returns the values of all repeats. It merges halves, since one after the other would
// copy those of the first for each of the others.
func together(repeats []Repeat) distribution {
	switch len(repeats) {
	case 0:
		return nil
	case 1:
		return repeats[0].values
	}
	a, b := together(repeats[:len(repeats)/2]), together(repeats[len(repeats)/2:])
	return merge(make(distribution, 0, len(a)+len(b)), a, b)
}

// Value returns a percentile of all messages, 0 < percentile < 100, and how many rank above it;
// known is false if a missing message ranks there. It is that of the merged histograms.
func (p *Pool) Value(percentile float64) (v time.Duration, above int64, known bool) {
	rank := rankOf(percentile, p.due())
	v, known = p.value(rank)
	return v, max(p.due()-rank, 0), known
}

// Interval returns the confidence interval of a percentile, 0 < percentile < 100, at a
// level. Ok is false for fewer than two repeats, and without values.
func (p *Pool) Interval(level, percentile float64) (i Interval, ok bool) {
	if len(p.repeats) < 2 || p.values.count() == 0 || !(percentile > 0 && percentile < 100) || !(level > 0 && level < 1) {
		return Interval{}, false
	}
	l, _ := ranks(p.due(), percentile/100, level)
	return p.byOdds(percentile, level, p.effect(p.pivot(percentile, l), percentile, level)), true
}

// Events returns how many independent events the messages above a percentile amount to.
// Ok is false where [Pool.Interval] has no answer.
func (p *Pool) Events(percentile float64) (events float64, ok bool) {
	if len(p.repeats) < 2 || p.values.count() == 0 || !(percentile > 0 && percentile < 100) {
		return 0, false
	}
	l, _ := ranks(p.due(), percentile/100, Level)
	return float64(p.due()) * (1 - percentile/100) / p.effect(p.pivot(percentile, l), percentile, Level).plain, true
}

// From returns how many messages of each repeat are not below v, missing ones included.
func (p *Pool) From(v time.Duration) (counts []int64) {
	for _, r := range p.repeats {
		counts = append(counts, r.due()-r.values.upTo(v-1))
	}
	return counts
}

// effect returns the design effect at v. It is at least what seconds inside the repeats
// show: two or three repeats may agree by luck.
func (p *Pool) effect(v time.Duration, percentile, level float64) designEffect {
	worst := designEffect{1, 1}
	worst.include(p.within(percentile), float64(leastBlocks*len(p.repeats)), level)
	for _, limit := range []time.Duration{v - 1, v} {
		clusters := make([]Cluster, len(p.repeats))
		for i, r := range p.repeats {
			clusters[i] = Cluster{float64(r.values.upTo(limit)), float64(r.due())}
		}
		s := newShare(clusters)
		worst.include(s.effect(), s.freedom, level)
	}
	return worst
}

// leastBlocks is how many degrees of freedom a repeat's own design effect has at least: it
// has three blocks or more.
const leastBlocks = 3

// within returns the design effect that the repeats show by themselves; 0 if it is unknown.
func (p *Pool) within(percentile float64) float64 {
	above, variance := 1-percentile/100, 0.
	for _, r := range p.repeats {
		n, events := float64(r.due()), 0.
		if r.events != nil {
			events = r.events(percentile)
		}
		if events <= 0 {
			return 0
		}
		variance += n * above * max(n*above/events, 1)
	}
	return variance / (float64(p.due()) * above)
}

// include takes an effect with its degrees of freedom into account.
func (e *designEffect) include(plain, freedom, level float64) {
	if plain <= 0 {
		return
	}
	t := stats.StudentQuantile(level, freedom) / stats.NormalQuantile(level)
	e.plain, e.widened = max(e.plain, plain), max(e.widened, plain*t*t)
}
