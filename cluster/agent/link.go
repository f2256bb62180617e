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

// changed is told by the connection when it is lost or there again. Only an answer to a beat
// shows that the coordinator is there, not the server alone: it may be on its way back.
func (l *link) changed(status nats.Status, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		l.seen = gone
	case status != nats.CONNECTED && l.seen == there: // what was refused once is gone, however later tries fail
		l.seen = silent
	}
}
