package inject

import (
	"context"
	"sync"
)

// A standstill is which faults pause a node: it goes on when none does any more. The lock is
// held while that is done, so that one that begins when another ends is not undone by it. The
// zero value is that of a node that nobody pauses.
type standstill struct {
	mu sync.Mutex
	by map[int]bool // faults
}

// pause makes the node stand still for a fault, and returns what ends that.
func (s *standstill) pause(ctx context.Context, fault int, node Process) (undo func(context.Context) error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.by) == 0 {
		if err := node.Pause(ctx); err != nil { // it may be half done
			return func(ctx context.Context) error { return s.resume(ctx, fault, true, node) }, err
		}
		s.by = make(map[int]bool)
	}
	s.by[fault] = true
	return func(ctx context.Context) error { return s.resume(ctx, fault, false, node) }, nil
}

// resume lets the node go on that a fault pauses, or may have half paused, unless another fault
// pauses it, or it has ended since.
func (s *standstill) resume(ctx context.Context, fault int, half bool, node Process) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	paused := half || s.by[fault]
	delete(s.by, fault)
	if !paused || len(s.by) > 0 {
		return nil
	}
	return node.Resume(ctx)
}

// end forgets who paused the node: its processes have ended.
func (s *standstill) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.by)
}
