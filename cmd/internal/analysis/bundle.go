package analysis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
)

// A bundle is a published study, of which some claims are checked.
type bundle struct {
	dir    string
	claims []claims.Claim
	others []claims.Claim         // those of the study that are not checked
	runs   map[string]*claims.Run // the evidence of the claims, by folder
}

// openBundle reads claims and their evidence, and checks that it is whole and supports them.
func openBundle(dir string, ids []string) (*bundle, error) {
	all, err := claims.Read(dir)
	b := &bundle{dir: dir, runs: make(map[string]*claims.Run)}
	if err == nil {
		b.claims, err = claims.Select(all, ids)
		b.others = slices.DeleteFunc(slices.Clone(all), func(c claims.Claim) bool {
			return slices.ContainsFunc(b.claims, func(checked claims.Claim) bool { return checked.ID == c.ID })
		})
	}
	if err == nil {
		err = claims.CheckSums(dir, b.claims)
	}
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, c := range b.claims {
		for _, folder := range c.Evidence {
			if b.runs[folder] != nil {
				continue
			}
			run, err := claims.Open(filepath.Join(dir, folder))
			if errs = append(errs, err); err == nil {
				b.runs[folder] = run
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, c := range b.claims {
		errs = append(errs, b.checkEvidence(c))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return b, claims.Supported(b.claims, b.evidence)
}

// evidence returns the published runs of a claim.
func (b *bundle) evidence(c claims.Claim) (runs []*claims.Run) {
	for _, folder := range c.Evidence {
		runs = append(runs, b.runs[folder])
	}
	return runs
}

// checkEvidence returns an error for a claim whose evidence holds a run twice, or one of another kind or
// plan than the others.
func (b *bundle) checkEvidence(c claims.Claim) error {
	searched := c.SLO() != (plan.Objective{})
	var counted []*claims.Run
	for _, run := range b.evidence(c) {
		switch {
		case holds(counted, run):
			return fmt.Errorf("claim %s: %s is named twice: it would count as a repeat of itself", c.ID, run.Dir)
		case searched && run.Search == nil:
			is := "no search"
			if _, err := os.Stat(filepath.Join(run.Dir, search.File)); err == nil {
				is = "a search of an earlier version"
			}
			return fmt.Errorf("claim %s: its evidence %s is %s", c.ID, run.Dir, is)
		case !searched && run.Search != nil:
			return fmt.Errorf("claim %s: its evidence %s is a search, whose probes are no repeats", c.ID, run.Dir)
		case len(counted) > 0 && !run.Of(counted[0].Run.Plan):
			return fmt.Errorf("claim %s: %s and %s are runs of different plans", c.ID, counted[0].Dir, run.Dir)
		}
		counted = append(counted, run)
	}
	return nil
}

// holds reports whether a run, or a copy of it, is among others. A run without an ID is known by its
// folder only.
func holds(others []*claims.Run, run *claims.Run) bool {
	return slices.ContainsFunc(others, func(r *claims.Run) bool {
		return filepath.Clean(r.Dir) == filepath.Clean(run.Dir) || run.Run.ID != "" && r.Run.ID == run.Run.ID
	})
}

// matches reports whether a run measured the plan of a claim, as that of its evidence shows.
func (b *bundle) matches(c claims.Claim, run *claims.Run) bool {
	return slices.ContainsFunc(b.evidence(c), func(e *claims.Run) bool {
		return (e.Search == nil) == (run.Search == nil) && run.Of(e.Run.Plan)
	})
}

// ofOthers reports whether a run measured the plan of a claim that is not checked. Evidence that cannot be
// read has no plan.
func (b *bundle) ofOthers(run *claims.Run) bool {
	for _, c := range b.others {
		for _, folder := range c.Evidence {
			evidence, err := claims.Open(filepath.Join(b.dir, folder))
			if err == nil && (evidence.Search == nil) == (run.Search == nil) && run.Of(evidence.Run.Plan) {
				return true
			}
		}
	}
	return false
}

// A step is a plan of the bundle that is to be measured: run, or searched as in the evidence.
type step struct {
	plan      string
	search    *search.Document // nil: run
	times     int              // how often it is searched
	shortened bool             // its window is quickWindow
}

// steps returns what measures the claims, each plan once for runs and once for searches.
func (b *bundle) steps() (list []step) {
	for _, c := range b.claims {
		next := step{plan: c.Plan, search: b.evidence(c)[0].Search, times: len(c.Evidence)}
		i := slices.IndexFunc(list, func(s step) bool { return s.measures(c) })
		if i < 0 {
			list = append(list, next)
			continue
		}
		list[i].times = max(list[i].times, next.times)
	}
	return list
}

// measures reports whether a step measures a claim.
func (s step) measures(c claims.Claim) bool {
	return s.plan == c.Plan && (s.search != nil) == (c.SLO() != (plan.Objective{}))
}

// checkPlan returns an error if a plan of the bundle does not have what its claims are about, or is not that
// of their evidence.
func (b *bundle) checkPlan(s step, p plan.Plan) error {
	var errs []error
	for _, c := range b.claims {
		if !s.measures(c) {
			continue
		}
		for _, name := range c.Targets() {
			if !slices.ContainsFunc(p.Targets, func(t plan.Target) bool { return t.Name == name }) {
				errs = append(errs, fmt.Errorf("claim %s: %s has no target %s", c.ID, s.plan, name))
			}
		}
		for _, run := range b.evidence(c) {
			if !run.Of(p) {
				errs = append(errs, fmt.Errorf("claim %s: %s is no run of %s: its name, targets, shapes or faults differ", c.ID, run.Dir, s.plan))
			}
		}
	}
	return errors.Join(errs...)
}

// checkPlans returns an error for each plan file that is missing.
func (b *bundle) checkPlans() error {
	var errs []error
	for _, s := range b.steps() {
		if _, err := os.Stat(filepath.Join(b.dir, s.plan)); err != nil {
			errs = append(errs, fmt.Errorf("a plan of the claims is missing: %w", err))
		}
	}
	return errors.Join(errs...)
}
