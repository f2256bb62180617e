package config

import (
	"maps"
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

// shapes returns the product of the grid's axes, each shape once; ok is false if it
// is too large. It leaves out values that cannot be read.
func (g grid) shapes() (shapes []plan.Shape, ok bool) {
	shapes = []plan.Shape{{}}
	for _, a := range axes() {
		values, given := g.axes[a.Name]
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
func (a axis) times(shapes []plan.Shape, values []value) (product []plan.Shape) {
	for _, shape := range shapes {
		for _, v := range values {
			if len(product) > maxShapes {
				return product
			}
			if a.set(&shape, v.text) == nil {
				product = append(product, shape)
			}
		}
	}
	return product
}

// with returns the grid with other axes in place of its own.
func (g grid) with(axes map[string][]value) grid {
	merged := make(map[string][]value)
	maps.Copy(merged, g.axes)
	maps.Copy(merged, axes)
	return grid{g.at, merged, g.slos}
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

// self is the key of what is compared as a whole.
func self[T any](v T) T { return v }

// checkValues reports values of an axis that are wrong or given twice.
func (m *mistakes) checkValues(a axis, values []value) {
	seen := make(map[plan.Shape]bool)
	for _, v := range values {
		shape, err := a.check(v.text)
		if !m.check(v.at, err) {
			continue
		}
		if seen[shape] {
			m.add(v.at, "%s %s is there twice; use repeat", a.Name, v.text)
		}
		seen[shape] = true
	}
}

// checkGrids reports shapes that two grids of a file share.
func (m *mistakes) checkGrids(grids []grid) {
	first := make(map[plan.Shape]place)
	total := 0
	for _, g := range grids {
		shapes, ok := g.shapes()
		if total += len(shapes); !ok || total > maxShapes {
			m.add(g.at, "more than %d combinations to measure", maxShapes)
			return
		}
		for _, s := range shapes {
			if before, twice := first[s]; twice {
				m.add(g.at, "%v is there already, from line %d; use repeat", s, before.line)
				continue
			}
			first[s] = g.at
		}
	}
}
