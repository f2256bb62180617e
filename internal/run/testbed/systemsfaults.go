package testbed

import (
	"context"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/faults/network"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
)

// running returns the nodes of the system that runs, for faults; nil if there is none.
func (s *starter) running() (list []inject.Node) {
	if s.system == nil {
		return nil
	}
	for _, n := range s.system.Nodes {
		one := inject.Node{Node: n.Node, Process: n}
		if one.On != "" {
			one.Data = "" // it is not on this machine
		}
		list = append(list, one)
	}
	return list
}

// removes implements inject.Options.Guard. The guardian was started before.
func (s *starter) removes(left inject.Leftover) (forget func() error, err error) {
	undo := guardian.Undo{Remove: left.File, Run: left.Command}
	if left.File == "" && len(left.Command) == 0 {
		undo = guardian.Undo{Kill: &left.Process}
	}
	entry, err := s.guard.Before(undo)
	return func() error { return s.guard.Forget(entry) }, err
}

// makeNetwork creates the network of the target that is measured, which faults can break.
func (s *starter) makeNetwork(ctx context.Context, n int) (machines string, remove func() error, err error) {
	if err := network.Check(); err != nil {
		return "", nil, err
	}
	w, err := network.Make(ctx, s.guard.OnExit, n)
	if err != nil {
		return "", nil, err
	}
	b := s.bed.injector
	b.network = w
	return w.String(), func() error { b.network = nil; return w.Remove() }, nil
}
