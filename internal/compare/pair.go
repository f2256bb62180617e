package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	grouping "github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// By selects how cells are paired, besides by their shape.
type By string

const (
	// ByTarget pairs cells of the same target, by its name. Where each side has a
	// single target and both are the same product, names do not matter.
	ByTarget By = "target"
	// ByShape pairs cells of any targets: other brokers, or other settings. Each side
	// has one target.
	ByShape By = "shape"
)

// A group is the repeats of one target × shape.
type group struct {
	side string // BASE or NEW
	kind
	trials []Trial
	all    results.Distribution // of all trials together; empty before pooled
}

type kind struct {
	target string
	shape  plan.Shape
}

// id returns the common part of the repeats' IDs.
func (g group) id() string { return g.trials[0].Cell.Plan.SharedID() }

// title names the target and the shape for people.
func (g group) title() string { return g.trials[0].Cell.Plan.Title() }

// groups returns the cells of a side with their repeats, in the order of measuring.
func groups(side string, s *Set) (list []group) {
	of := func(t Trial) kind { return kind{t.Target(), t.Shape()} }
	for _, trials := range grouping.By(s.Trials, of) {
		list = append(list, group{side: side, kind: of(trials[0]), trials: trials})
	}
	return list
}

// pooled returns the group with the distribution of all its trials.
func (g group) pooled() group {
	g.all = Pooled(g.trials)
	return g
}

// at returns a percentile of all trials together.
func (g group) at(percentile float64) results.Percentile {
	row, _ := g.all.At(percentile)
	return row
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

type couple struct {
	base, next group
	order      Order // "" before inOrder, or if it is unknown
}

// A matching says which groups belong together.
type matching struct {
	exact []couple // to compare: of the same shape, or by force
	loose []couple // left over, one a side of a target: their shapes differ
	base  []group  // without a counterpart
	next  []group
}

func match(base, next *Set, o Options) (m matching, err error) {
	named, err := names(base, next, o.By)
	if err != nil {
		return m, err
	}
	same := func(a, b group) bool { return !named || a.target == b.target }
	m.base, m.next = groups("BASE", base), groups("NEW", next)
	m.exact = m.take(func(a, b group) bool { return same(a, b) && a.shape == b.shape })
	// A group is loose if it is the only one left of its target, on both sides.
	left, right := slices.Clone(m.base), slices.Clone(m.next)
	m.loose = m.take(func(a, b group) bool {
		others := func(list []group) int {
			return len(slices.DeleteFunc(slices.Clone(list), func(g group) bool { return !same(g, a) }))
		}
		return same(a, b) && others(left) == 1 && others(right) == 1
	})
	if len(m.exact)+len(m.loose) == 0 {
		return m, fmt.Errorf("%s and %s have no cell of the same target and shape: %q against %q (--by shape pairs targets of other names)",
			base.Dir, next.Dir, titles(m.base), titles(m.next))
	}
	if o.Force {
		m.exact, m.loose = append(m.exact, m.loose...), nil
	}
	return m, nil
}

// names returns whether the names of targets must agree.
func names(base, next *Set, by By) (named bool, err error) {
	b, n := base.Targets(), next.Targets()
	if by == ByShape {
		if len(b) > 1 || len(n) > 1 {
			return false, fmt.Errorf("--by shape needs one target a side, but %s has %q and %s has %q (name one: DIR@TARGET)",
				base.Dir, b, next.Dir, n)
		}
		return false, nil
	}
	if len(b) == 1 && len(n) == 1 {
		return base.Trials[0].Cell.Broker.Product != next.Trials[0].Cell.Broker.Product, nil
	}
	return true, nil
}

// take removes the groups that fit each other and returns them as couples.
func (m *matching) take(fits func(base, next group) bool) (couples []couple) {
	var left []group
	for _, b := range m.base {
		i := slices.IndexFunc(m.next, func(n group) bool { return fits(b, n) })
		if i < 0 {
			left = append(left, b)
			continue
		}
		couples = append(couples, couple{base: b, next: m.next[i]})
		m.next = slices.Delete(slices.Clone(m.next), i, i+1)
	}
	m.base = left
	return couples
}

// considered returns the couples whose differences count. Loose ones count only if no
// exact ones exist: else they would hide which cells are missing.
func (m matching) considered() []couple {
	if len(m.exact) == 0 {
		return m.loose
	}
	return m.exact
}

func (m matching) unpaired() (list []Unpaired) {
	for _, l := range m.loose {
		m.base, m.next = append(m.base, l.base), append(m.next, l.next)
	}
	for _, g := range slices.Concat(m.base, m.next) {
		list = append(list, Unpaired{g.side, g.id(), g.title()})
	}
	return list
}

func titles(list []group) string {
	var all []string
	for _, g := range list {
		all = append(all, g.title())
	}
	return strings.Join(all, "; ")
}
