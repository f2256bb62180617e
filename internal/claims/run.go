package claims

import (
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
)

// A Run is a run that claims are judged by.
type Run struct {
	*compare.Set

	Search *search.Document // nil: it is no search
}

// Open reads the run in a folder.
func Open(dir string) (*Run, error) {
	set, err := compare.OpenCells(dir)
	if err != nil {
		return nil, err
	}
	found, err := search.Read(dir)
	if err != nil {
		return nil, err
	}
	return &Run{set, found}, nil
}

// Of reports whether the run is one of a plan, or of a part of it: name, faults and echo are equal, and
// one of the two has the targets and shapes of the other. The rates of a search do not count.
func (r *Run) Of(p plan.Plan) bool {
	own := r.Run.Plan
	faults := slices.EqualFunc(own.Settings.Faults, p.Settings.Faults, func(x, y plan.Fault) bool { return x.String() == y.String() })
	return own.Name == p.Name && faults && own.Settings.Echo == p.Settings.Echo && own.Settings.Cold == p.Settings.Cold &&
		contained(own.Targets, p.Targets, func(t plan.Target) string { return t.Name }) &&
		contained(own.Shapes, p.Shapes, r.shapeID)
}

// shapeID names a shape of the run's plan.
func (r *Run) shapeID(s plan.Shape) string {
	if r.Search != nil {
		s.Rate = 1
	}
	return s.ID()
}

// contained reports whether one list has all of the other.
func contained[T any](a, b []T, key func(T) string) bool {
	within := func(some, all []T) bool {
		return !slices.ContainsFunc(some, func(one T) bool {
			return !slices.ContainsFunc(all, func(other T) bool { return key(one) == key(other) })
		})
	}
	return within(a, b) || within(b, a)
}
