package leftover

import (
	"context"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/requester"
)

// Made is what a connection makes on the broker, such as a queue, and removes in Teardown. Its methods
// are safe for concurrent use.
type Made struct {
	Kind, Name string
	Delete     func(ctx context.Context, name string) error

	there atomic.Bool
}

// Set notes whether it may be there.
func (m *Made) Set(there bool) { m.there.Store(there) }

// There reports whether it may be there.
func (m *Made) There() bool { return m.there.Load() }

// Remove deletes it if it may be there, and notes that it is gone unless there is an error.
func (m *Made) Remove(ctx context.Context) error {
	if !m.There() {
		return nil
	}
	err := m.Delete(ctx, m.Name)
	m.Set(err != nil)
	return err
}

// Left returns its kind and name if it may be there.
func (m *Made) Left() []string {
	if !m.There() {
		return nil
	}
	return []string{m.Kind + " " + m.Name}
}

// Remove calls remove with each of things, over a connection that open makes and closes. It returns an
// error for each.
func Remove[C any](things []requester.Leftover, open func(do func(C) error) error, remove func(C, requester.Leftover) error) []error {
	errs := make([]error, len(things))
	err := open(func(c C) error {
		for i, thing := range things {
			errs[i] = remove(c, thing)
		}
		return nil
	})
	for i := range errs {
		if errs[i] == nil {
			errs[i] = err
		}
	}
	return errs
}
