package config

import (
	"errors"
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

// product returns the product of axes, each shape once. Ok is false if it is too large. Values that cannot
// be read are left out.
func product(axes map[string][]value) (shapes []plan.Shape, ok bool) {
	d := new(draft)
	shapes = []plan.Shape{{}}
	for _, a := range d.axes() {
		values, given := axes[a.Name]
		if !given {
			values = []value{{text: a.Default}}
		}
		if shapes = d.times(shapes, a, values); len(shapes) > maxShapes {
			return nil, false
		}
	}
	for i := range shapes {
		shapes[i].Topology = shapes[i].Topology.Complete()
	}
	return unique(shapes, self), true
}

// times returns every shape with every value of an axis of the draft.
func (d *draft) times(shapes []plan.Shape, a Key, values []value) (product []plan.Shape) {
	for _, shape := range shapes {
		for _, v := range values {
			if len(product) > maxShapes {
				return product
			}
			d.Shape = shape
			if a.read(v.text) == nil {
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

// try reads a value of a key into the draft, unless it is wrong.
func (d *draft) try(k Key, text string) error {
	before := *d
	err := k.read(text)
	if err == nil {
		err = errors.Join(d.Settings.Validate(), d.Shape.Validate())
	}
	if err != nil {
		*d = before
	}
	return err
}

// checkValues reports values of an axis that are wrong or given twice.
func (m *mistakes) checkValues(name string, values []value) {
	d, seen := defaults(), make(map[plan.Shape]bool)
	axes, defaults := d.axes(), d.Shape
	at := slices.IndexFunc(axes, func(k Key) bool { return k.Name == name })
	for _, v := range values {
		d.Shape = defaults
		switch err := d.try(axes[at], v.text); {
		case !m.check(v.at, err):
		case seen[d.Shape]:
			m.add(v.at, "%s %s is there twice; use repeat", name, v.text)
		default:
			seen[d.Shape] = true
		}
	}
}

// checkGrids reports shapes that two grids of the file share.
func (r *reader) checkGrids() {
	first := make(map[plan.Shape]place)
	total := 0
	for _, g := range r.grids {
		shapes, ok := product(g.axes)
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
