// Package made remembers what the connections of a target have made in the broker, for the
// audit that reads it back.
package made

import (
	"slices"
	"sync"
)

// Names are the names of what there may be. It is safe for concurrent use; the zero value is
// empty.
type Names struct {
	mu    sync.Mutex
	names []string
}

// Add adds a name, once.
func (n *Names) Add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.names, name) {
		n.names = append(n.names, name)
	}
}

// Remove removes a name, if it is there.
func (n *Names) Remove(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names = slices.DeleteFunc(n.names, func(other string) bool { return other == name })
}

// All returns a copy of all names, in the order in which they were added.
func (n *Names) All() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.names)
}
