package leftover

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A Shared is what several connections use, such as a topic: the first makes it, and the last removes it.
// Its methods are safe for concurrent use.
type Shared struct {
	Made

	mu    sync.Mutex
	users int
	tried bool // to make it
	err   error
}

// Uses are those that one connection uses. It is not safe for concurrent use.
type Uses []*Shared

// Use begins to use one. It calls create, which calls Set, or waits until another connection has done so, and
// returns the error of that.
func (u *Uses) Use(s *Shared, create func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	*u = append(*u, s)
	if s.users++; !s.tried {
		s.tried, s.err = true, create()
	}
	return s.err
}

// Leave ends the use of all of them, and removes those that no other connection uses. What it could not
// remove is still used.
func (u *Uses) Leave(ctx context.Context) error {
	var errs []error
	*u = slices.DeleteFunc(*u, func(s *Shared) bool {
		err := s.leave(ctx)
		errs = append(errs, err)
		return err == nil
	})
	return errors.Join(errs...)
}

func (s *Shared) leave(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 1 {
		if err := s.Remove(ctx); err != nil {
			return err
		}
		s.tried = false
	}
	s.users--
	return nil
}
