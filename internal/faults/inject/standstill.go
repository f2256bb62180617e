package inject

import (
	"context"
	"sync"
)

// A standstill holds the faults that pause a node, which goes on after the last of them. The lock is
// held during a change, so that the end of one fault does not undo the beginning of another. The
// zero value is that of a running node.
type standstill struct {
	mu sync.Mutex
	by map[int]bool // faults
}

// pause pauses the node for a fault, and returns the function that ends the pause.
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

// resume continues a node that a fault has paused, or half paused, unless another fault pauses it or
// it has ended since.
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

// end forgets which faults paused the node: its processes have ended.
func (s *standstill) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.by)
}
