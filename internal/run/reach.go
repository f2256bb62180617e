package run

import (
	"context"
	"sync"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// Reach asks every target of the run to describe itself, all at the same time, before anything is
// measured, so that a target that is down is found before the cells and floors of the others. A
// target that cannot be reached is not tried again: its cells are in the run with the error. Reach
// does not ask targets that cannot describe themselves or are started later, nor targets of a run
// on agents, which may be the only machines that reach them.
func (s *Session) Reach(ctx context.Context) {
	if s.runner.Agents != nil {
		return
	}
	errs := make([]error, len(s.targets))
	var asked sync.WaitGroup
	for i, t := range s.targets {
		if systems := s.runner.Systems; systems != nil && systems.Starts(t) {
			continue // it does not run yet
		}
		f, err := s.runner.Open(t, s.run.ID)
		if errs[i] = err; err == nil {
			asked.Go(func() { _, errs[i] = measure.Describe(ctx, f) })
		}
	}
	asked.Wait()
	if ctx.Err() != nil {
		return // interrupted: nothing is known
	}
	s.dead = make(map[plan.Target]error)
	for i, t := range s.targets {
		if errs[i] != nil {
			s.dead[t], s.errs = errs[i], append(s.errs, errs[i])
		}
	}
	for i, t := range s.targets {
		if errs[i] != nil && len(s.dead) < len(s.targets) && s.runner.Unreached != nil {
			s.runner.Unreached(t, errs[i])
		}
	}
}

// skip reports why the cell of entry i is not measured, if its target could not be
// reached, and stores it.
func (s *Session) skip(i int, cell plan.Cell) error {
	err := s.dead[cell.Target]
	if err != nil {
		s.note(i, err)
		s.save()
	}
	return err
}
