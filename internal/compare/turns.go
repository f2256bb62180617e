package compare

import (
	"cmp"
	"slices"

	"github.com/brokerbench/brokerbench/results"
)

// An Order is that in which the runs of a pair were measured.
type Order string

// The orders.
const (
	// Alternating: the first two runs are one of each side, and so are the next two, and …; each
	// side comes first in half of these pairs, give or take one. So a machine that becomes slower
	// and slower slows both sides alike.
	Alternating Order = "by turns"
	SameFirst   Order = "by turns, one side mostly first"
	InARow      Order = "one after the other" // all runs of one side were over before those of the other
	Mixed       Order = "mixed"
)

// inOrder returns the couple with its runs in the order of measuring, and names that order.
func (c couple) inOrder() couple {
	if min(len(c.base.trials), len(c.next.trials)) < 2 {
		return c
	}
	all := slices.Concat(c.base.trials, c.next.trials)
	before := byWall
	if oneBoot(all) {
		before = byUptime
	}
	slices.SortStableFunc(all, before)
	var sides []bool
	for i, t := range all {
		if i > 0 && before(all[i-1], t) == 0 || before(t, Trial{Cell: new(results.Cell)}) == 0 {
			return c // the order is not known
		}
		sides = append(sides, !slices.ContainsFunc(c.base.trials, func(b Trial) bool { return b.Cell == t.Cell }))
	}
	c.order = orderOf(sides)
	c.base.trials = slices.SortedStableFunc(slices.Values(c.base.trials), before)
	c.next.trials = slices.SortedStableFunc(slices.Values(c.next.trials), before)
	return c
}

// oneBoot tells whether all trials were measured since the same boot of a machine.
func oneBoot(trials []Trial) bool {
	other := func(t Trial) bool { return t.Began.Boot == "" || t.Began.Boot != trials[0].Began.Boot }
	return !slices.ContainsFunc(trials, other)
}

func byUptime(a, b Trial) int { return cmp.Compare(a.Began.UptimeNS, b.Began.UptimeNS) }

// byWall orders results of older versions, and of several machines.
func byWall(a, b Trial) int { return a.Cell.Started.Compare(b.Cell.Started) }

// orderOf names the order in which the sides were measured: true is NEW.
func orderOf(sides []bool) Order {
	changes, turns, first := 0, len(sides)%2 == 0, 0
	for i := 1; i < len(sides); i++ {
		changed := sides[i] != sides[i-1]
		if changed {
			changes++
		}
		if i%2 == 1 {
			turns = turns && changed
			if sides[i] {
				first++ // BASE was
			} else {
				first--
			}
		}
	}
	switch {
	case turns && max(first, -first) <= 1:
		return Alternating
	case turns:
		return SameFirst
	case changes == 1:
		return InARow
	}
	return Mixed
}
