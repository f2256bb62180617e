package redis

import (
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// The two sockets of a connection, as events name them.
const (
	sender     = "publisher"
	subscriber = "subscriber"
)

// A watch notes what happens to a connection. An outage of a socket is three
// events, however often it is tried: lost, the first reason why it does not come
// back, and back.
type watch struct {
	log *requester.EventLog

	mu             sync.Mutex
	active         bool
	outages        map[string]*outage // by socket
	disconnections int64              // of slow clients by the server, so far
}

type outage struct {
	since  time.Time
	reason bool // was noted
	alone  bool // the other socket stayed
}

func (w *watch) begin() { w.setActive(true) }
func (w *watch) end()   { w.setActive(false) }

func (w *watch) setActive(active bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = active
}

// lost takes every error of a socket.
func (w *watch) lost(socket string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.active {
		return
	}
	switch out := w.outages[socket]; {
	case out == nil:
		w.add(socket)
		w.log.Note("%s disconnected: %v", socket, err)
	case !out.reason:
		out.reason = true
		w.log.Note("%s reconnecting: %v", socket, err)
	}
}

// add begins an outage. The caller holds the lock.
func (w *watch) add(socket string) {
	if w.outages == nil {
		w.outages = make(map[string]*outage)
	}
	for _, other := range w.outages {
		other.alone = false
	}
	w.outages[socket] = &outage{since: time.Now(), alone: len(w.outages) == 0}
}

// back ends an outage, and tells whether the other socket was up all the time.
func (w *watch) back(socket string) (alone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.outages[socket]
	if out == nil || !w.active {
		return false
	}
	delete(w.outages, socket)
	w.log.Note("%s reconnected after %v", socket, time.Since(out.since).Round(time.Millisecond))
	return out.alone
}

// count takes how many clients the server has disconnected so far, and returns
// how many more these are than the last time.
func (w *watch) count(disconnections int64) (more int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	more = disconnections - w.disconnections
	w.disconnections = disconnections
	return more
}

func (w *watch) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active {
		w.log.Note(format, args...)
	}
}
