package agent

import (
	"errors"
	"sync"
	"syscall"

	"github.com/nats-io/nats.go"
)

// A link remembers how the coordinator was last seen: there, silent or gone. One that is
// gone has nobody to go on without this agent, which then finishes what it measures; one
// that is silent may.
type link struct {
	mu   sync.Mutex
	seen sight
}

type sight int

const (
	there  sight = iota
	silent       // nothing comes through
	gone         // its machine says that nobody is there
)

func (l *link) set(s sight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = s
}

func (l *link) answered() { l.set(there) }
func (l *link) alone()    { l.set(gone) }

func (l *link) gone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen == gone
}

// changed is told by the connection when it is lost or there again.
func (l *link) changed(status nats.Status, err error) {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		l.set(gone)
	case status == nats.CONNECTED:
		l.set(there)
	default:
		l.set(silent)
	}
}
