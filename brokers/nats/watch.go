package nats

import (
	"errors"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

// A watch notes what happens to a connection. An outage is three events, however
// often nats.go tries: lost, the first reason why it does not come back, and
// back.
type watch struct {
	log     *requester.EventLog
	wire    *wire
	refused chan error // takes the first asynchronous error of Setup

	mu     sync.Mutex
	active bool
	lost   time.Time // zero while connected
	reason bool      // was noted
}

func (w *watch) begin() { w.setActive(true) }
func (w *watch) end()   { w.setActive(false) }

func (w *watch) setActive(active bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = active
}

// options returns the handlers. nats.go calls them one after another.
func (w *watch) options() []nats.Option {
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { w.disconnected(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { w.notYet(err) }),
		nats.ReconnectHandler(func(nc *nats.Conn) { w.reconnected(nc.ConnectedAddr()) }),
		nats.ClosedHandler(func(nc *nats.Conn) { w.note("connection given up: %v", nc.LastError()) }),
		nats.LameDuckModeHandler(func(*nats.Conn) { w.note("the server is about to shut down (lame duck mode)") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { w.asynchronous(err) }),
	}
}

func (w *watch) disconnected(err error) {
	w.mu.Lock()
	w.lost, w.reason = time.Now(), false
	w.mu.Unlock()
	if err == nil {
		err = errors.New("no reason given")
	}
	w.note("disconnected: %v", err)
}

// notYet notes why the first attempt did not succeed.
func (w *watch) notYet(err error) {
	w.mu.Lock()
	again := w.reason
	w.reason = true
	w.mu.Unlock()
	if !again {
		w.note("reconnecting: %v", err)
	}
}

func (w *watch) reconnected(address string) {
	w.wire.up.Store(true)
	w.mu.Lock()
	took := time.Since(w.lost)
	w.mu.Unlock()
	w.note("reconnected to %s after %v", address, took.Round(time.Millisecond))
}

// asynchronous takes what the server or nats.go reports aside: a permission that
// is missing, messages that were dropped.
func (w *watch) asynchronous(err error) {
	select {
	case w.refused <- err: // Setup waits for it, if it comes early enough
	default:
	}
	w.note("%v", err)
}

// note notes an event between Setup and Teardown.
func (w *watch) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active {
		w.log.Note(format, args...)
	}
}
