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
	thin := [2][]int{c.base.thin(percentile), c.next.thin(percentile)}
	if len(thin[0]) > c.base.mayLeaveOut() || len(thin[1]) > c.next.mayLeaveOut() {
		return l, c.reason(percentile, few)
	}
	if c.method() == Pairs {
		reason = c.leavePairOut(&l, thin, percentile)
		return l, reason
	}
	c.leaveOut(&l, thin, percentile)
	return l, ""
}

// mayLeaveOut returns how many runs of a side may be left out.
func (g group) mayLeaveOut() int {
	if len(g.trials) < oddAmong {
		return 0
	}
	return 1
}

// values returns the logarithm of a percentile of every repeat, or nothing if it is
// unknown in any.
func (g group) values(percentile float64) (values []float64) {
	for _, t := range g.trials {
		row, _ := t.Cell.Response.At(percentile)
		v, known := row.Value()
		if !known || v <= 0 {
			return nil
		}
		values = append(values, math.Log(float64(v)))
	}
	return values
}

// thin returns the numbers of the runs with too few events above a percentile.
func (g group) thin(percentile float64) (numbers []int) {
	for i, t := range g.trials {
		if row, _ := t.Cell.Response.At(percentile); few(t, row, 0) != "" {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// leaveOut takes at most one run of each side out of a lineup: one with too few events,
// else one whose value is odd. All stay if the odd value is usual on the other side, or
// if one side has a high odd run and the other a low one.
func (c couple) leaveOut(l *lineup, thin [2][]int, percentile float64) {
	base, next := odd(c.base, "BASE", percentile, l.base, thin[0]), odd(c.next, "NEW", percentile, l.next, thin[1])
	out := base.direction*next.direction >= 0 && base.oddTo(next) && next.oddTo(base)
	l.base, l.next = base.apply(l, out), next.apply(l, out)
}

// leavePairOut takes at most one pair out of a lineup: one with a run that has too few
// events, else one whose ratio is odd and farther from 1 than the others. It returns why
// the percentile cannot be compared, or "".
func (c couple) leavePairOut(l *lineup, thin [2][]int, percentile float64) string {
	numbers := slices.Compact(slices.Sorted(slices.Values(slices.Concat(thin[0], thin[1]))))
	switch {
	case len(numbers) > 1:
		return c.reason(percentile, few)
	case len(numbers) == 1 && len(thin[0]) > 0:
		l.odd = []Odd{{c.base.which("BASE", c.base.trials[numbers[0]]), c.base.tooFew(numbers[0], percentile), true}}
	case len(numbers) == 1:
		l.odd = []Odd{{c.next.which("NEW", c.next.trials[numbers[0]]), c.next.tooFew(numbers[0], percentile), true}}
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

// ratios returns the logarithms of the ratios of pairs.
func ratios(base, next []float64) (list []float64) {
	for i := range base {
		list = append(list, next[i]-base[i])
	}
	return list
}
