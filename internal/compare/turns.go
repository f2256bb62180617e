package compare

import (
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

// inOrder returns the couple with its runs in the order of time, and names that order.
func (c couple) inOrder() couple {
	if min(len(c.base.trials), len(c.next.trials)) < 2 {
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
			return c // the order is not known
		}
		sides = append(sides, s.next)
	}
	c.order = orderOf(sides)
	c.base, c.next = c.base.inOrder(), c.next.inOrder()
	return c
}

func (g group) inOrder() group {
	g.trials = slices.SortedStableFunc(slices.Values(g.trials), func(a, b Trial) int {
		return a.Cell.Started.Compare(b.Cell.Started)
	})
	return g
}

// orderOf names the order in which the sides were measured: true is NEW.
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
