package transport

import (
	"errors"
	"slices"
	"sync"
)

// A Set holds what the connections of a factory have created, such as queues, or the
// connections themselves. It is safe for concurrent use; the zero value is empty.
type Set[T comparable] struct {
	mu  sync.Mutex
	all []T
}

// Add adds one, once.
func (s *Set[T]) Add(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.all, one) {
		s.all = append(s.all, one)
	}
}

// Remove removes one, if it is there.
func (s *Set[T]) Remove(one T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(other T) bool { return other == one })
}

// All returns a copy of them all, in the order in which they were added.
func (s *Set[T]) All() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// Each calls do with each of them, at once, and returns all errors.
func (s *Set[T]) Each(do func(T) error) error {
	all := s.All()
	errs := make([]error, len(all))
	var done sync.WaitGroup
	for i, one := range all {
		done.Go(func() { errs[i] = do(one) })
	}
	done.Wait()
	return errors.Join(errs...)
}

// Left returns what is left of each of a set's elements.
func Left[T interface {
	comparable
	Left() []string
}](s *Set[T],
) (names []string) {
	for _, one := range s.All() {
		names = append(names, one.Left()...)
	}
	return names
}
