package config

import (
	"slices"

	"github.com/brokerbench/brokerbench/plan"
)

// Limits of how much one plan measures.
const (
	maxShapes = 10_000
	maxCells  = 100_000
)

// A value is a text and where it is from.
type value struct {
	text string
	at   place
}

// A grid is a matrix, or a cell, which is a matrix of single values. An axis that
// is missing has its default.
type grid struct {
	at   place
	axes map[string][]value
	slos []plan.Objective
}

// shapes returns the product of the grid's axes, each shape once. The axes in over replace
// those of the grid. Ok is false if the product is too large. Values that cannot be read are
// left out.
func (g grid) shapes(over map[string][]value) (shapes []plan.Shape, ok bool) {
	shapes = []plan.Shape{{}}
	for _, a := range axes() {
		values, given := over[a.Name]
		if !given {
			values, given = g.axes[a.Name]
		}
		if !given {
			values = []value{{text: a.Default}}
		}
		if shapes = a.times(shapes, values); len(shapes) > maxShapes {
			return nil, false
		}
	}
	return unique(shapes, self), true
}

// times returns every shape with every value of the axis.
func (k Key) times(shapes []plan.Shape, values []value) (product []plan.Shape) {
	for _, shape := range shapes {
		d := draft{Shape: shape}
		for _, v := range values {
			if len(product) > maxShapes {
				return product
			}
			if k.set(&d, v.text) == nil {
				product = append(product, d.Shape)
			}
		}
	}
	return product
}

// unique removes what has the same key as something before it.
func unique[S ~[]T, T any, K comparable](list S, key func(T) K) S {
	seen := make(map[K]bool)
	return slices.DeleteFunc(list, func(v T) bool {
		again := seen[key(v)]
		seen[key(v)] = true
		return again
	})
}

// self is the key of values that are compared as a whole.
func self[T any](v T) T { return v }

// checkKey reports a value that is wrong.
func (m *mistakes) checkKey(k Key, v value) (ok bool) {
	_, err := k.check(defaults(), v.text)
	return m.check(v.at, err)
}

// checkValues reports values of an axis that are wrong or given twice.
func (m *mistakes) checkValues(a Key, values []value) {
	d, seen := defaults(), make(map[plan.Shape]bool)
	for _, v := range values {
		shape, err := a.check(d, v.text)
		switch {
		case !m.check(v.at, err):
		case seen[shape]:
			m.add(v.at, "%s %s is there twice; use repeat", a.Name, v.text)
		default:
			seen[shape] = true
		}
	}
}

// checkGrids reports shapes that two grids of the file share.
func (r *reader) checkGrids() {
	first := make(map[plan.Shape]place)
	total := 0
	for _, g := range r.grids {
		shapes, ok := g.shapes(nil)
		if total += len(shapes); !ok || total > maxShapes {
			r.add(g.at, "more than %d combinations to measure", maxShapes)
			return
		}
		for _, s := range shapes {
			if before, twice := first[s]; twice {
				r.add(g.at, "%v is there already, from line %d; use repeat", s, before.line)
				continue
			}
			first[s] = g.at
		}
	}
}
