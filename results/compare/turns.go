package compare

import (
	"errors"
	"slices"
	"time"
)

// An Order says how the runs of a pair followed each other, by the clock.
type Order string

// The orders.
const (
	Alternating Order = "by turns"            // the first two runs are one of each side, and so are the next two, and …
	InARow      Order = "one after the other" // all runs of one side were over before those of the other
	Mixed       Order = "mixed"
)

// A Turn is a measurement of each side, one right after the other.
type Turn struct{ Base, New Trial }

// Turns compares what was measured by turns, whatever the clock says of it: the
// i-th runs of both sides are a pair. Turns of several shapes may follow each other in
// any order. Base and new name the sides; their trials are not read.
func Turns(base, next *Set, turns []Turn, o Options) (*Comparison, error) {
	if len(turns) == 0 {
		return nil, errors.New("no turns to compare")
	}
	b, n := *base, *next
	b.Trials, n.Trials, b.turns, n.turns = nil, nil, true, true
	for _, t := range turns {
		b.Trials, n.Trials = append(b.Trials, t.Base), append(n.Trials, t.New)
	}
	return Compare(&b, &n, o)
}

// inOrder returns the couple with its runs in the order of time, which it says. Turns
// say that they are in order.
func (c couple) inOrder(turns bool) couple {
	if base, next := len(c.base.trials), len(c.next.trials); turns && base == next && base > 1 {
		c.order = Alternating
		return c
	} else if min(base, next) < 2 {
		return c
	}
	type start struct {
		at   time.Time
		next bool
	}
	var list []start
	for _, t := range c.base.trials {
		list = append(list, start{t.Cell.Started, false})
	}
	for _, t := range c.next.trials {
		list = append(list, start{t.Cell.Started, true})
	}
	slices.SortFunc(list, func(a, b start) int { return a.at.Compare(b.at) })
	var sides []bool
	for i, s := range list {
		if s.at.IsZero() || i > 0 && s.at.Equal(list[i-1].at) {
			return c // not known
		}
		sides = append(sides, s.next)
	}
	c.order = orderOf(sides)
	c.base, c.next = c.base.inOrder(), c.next.inOrder()
	return c
}

// inOrder returns the group with its trials in the order of time.
func (g group) inOrder() group {
	g.trials = slices.SortedStableFunc(slices.Values(g.trials), func(a, b Trial) int {
		return a.Cell.Started.Compare(b.Cell.Started)
	})
	return g
}

// orderOf names the order of the sides of runs, of which true is NEW.
func orderOf(sides []bool) Order {
	changes, turns := 0, len(sides)%2 == 0
	for i := 1; i < len(sides); i++ {
		if sides[i] != sides[i-1] {
			changes++
		} else if i%2 == 1 {
			turns = false
		}
	}
	switch {
	case turns:
		return Alternating
	case changes == 1:
		return InARow
	}
	return Mixed
}
