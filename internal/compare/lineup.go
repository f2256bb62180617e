package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// A lineup is the runs by which a row is judged.
type lineup struct {
	// The logarithms of each run's value, in the order of the runs, without those left
	// out. With the method Pairs the i-th values of both sides belong together.
	base, next []float64
	odd        []Odd
}

// lineup returns the runs by which to judge a percentile. If it cannot be judged, reason
// says why, and the lineup has all runs with a value.
func (c couple) lineup(percentile float64) (l lineup, reason string) {
	l.base, l.next = c.base.values(percentile), c.next.values(percentile)
	if reason = c.reason(percentile, invalid, unknown, unbounded); reason != "" || percentile == 100 {
		return l, reason
	}
	base, next := c.base.thin(percentile), c.next.thin(percentile)
	if len(base) > c.base.mayLeaveOut() || len(next) > c.next.mayLeaveOut() {
		return l, c.reason(percentile, few)
	}
	if c.method() == Pairs {
		return l, c.leavePairOut(&l, base, next, percentile)
	}
	c.leaveOut(&l, base, next, percentile)
	return l, ""
}

// values returns the logarithm of a percentile of every repeat, or nothing if it is
// unknown in any.
func (g group) values(percentile float64) (values []float64) {
	for _, t := range g.trials {
		v, known := t.At(percentile).Value()
		if !known || v <= 0 {
			return nil
		}
		values = append(values, math.Log(float64(v)))
	}
	return values
}

// leaveOut takes at most one run of each side out of a lineup: one with too few events,
// else one whose value is odd. All stay if the odd value is usual on the other side, or
// if one side has a high odd run and the other a low one.
func (c couple) leaveOut(l *lineup, thinBase, thinNext []int, percentile float64) {
	base, next := c.base.suspect(percentile, l.base, thinBase), c.next.suspect(percentile, l.next, thinNext)
	out := base.direction*next.direction >= 0 && base.oddTo(next) && next.oddTo(base)
	l.base, l.next = base.apply(l, out), next.apply(l, out)
}

// leavePairOut takes at most one pair out of a lineup: one with a run that has too few
// events, else one whose ratio is odd and farther from 1 than the others. It returns why
// the percentile cannot be compared, or "".
func (c couple) leavePairOut(l *lineup, thinBase, thinNext []int, percentile float64) string {
	numbers := slices.Compact(slices.Sorted(slices.Values(slices.Concat(thinBase, thinNext))))
	switch {
	case len(numbers) > 1:
		return c.reason(percentile, few)
	case len(thinBase) > 0:
		l.odd = []Odd{c.base.tooFew(numbers[0], percentile)}
	case len(thinNext) > 0:
		l.odd = []Odd{c.next.tooFew(numbers[0], percentile)}
	case c.base.mayLeaveOut() > 0:
		numbers = l.oddPair()
	}
	if len(l.odd) > 0 && l.odd[0].LeftOut {
		l.base, l.next = stats.Without(l.base, numbers[0]), stats.Without(l.next, numbers[0])
	}
	return ""
}

// oddPair notes the pair whose ratio is odd, if there is one, and returns its number.
func (l *lineup) oddPair() []int {
	list := ratios(l.base, l.next)
	i, _ := oddOne(list)
	if i < 0 {
		return nil
	}
	others, _ := stats.Moments(stats.Without(list, i))
	text := fmt.Sprintf("its NEW/BASE is %.3g, that of the others %.3g", math.Exp(list[i]), math.Exp(others))
	l.odd = []Odd{{fmt.Sprintf("turn %d", i+1), text, math.Abs(list[i]) > math.Abs(others)}}
	return []int{i}
}

func ratios(base, next []float64) (list []float64) {
	for i := range base {
		list = append(list, next[i]-base[i])
	}
	return list
}
