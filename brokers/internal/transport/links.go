package transport

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// Errors of a Request that has no link.
var (
	ErrNotSetUp = errors.New("not set up")
	ErrTornDown = errors.New("torn down")
)

// A Link is what a connection uses from one disconnect to the next: sockets, and the
// goroutines that serve them.
type Link interface {
	// Send publishes a message. It may block while the socket is full.
	Send(payload []byte) error
	// Probe publishes a message to the connection itself, and may wait until the broker has it.
	Probe(ctx context.Context, message []byte) error
	Lost() <-chan error // gets why the link was lost
	Cut()               // ends every call that hangs on the link
	Close(cause error)  // ends the link, and waits for its goroutines; messages that wait fail with cause
}

// A Drainer is a link to a broker that forgets what it has delivered.
type Drainer interface {
	// Drain stops deliveries, so that the broker keeps the rest, and passes on those that came.
	Drain(ctx context.Context)
}

// Links keeps a link open from Start to Finish: whenever one is lost it opens another one. Its
// methods are safe for concurrent use, but Send, which only a Request calls.
type Links[L Link] struct {
	Reconnector

	Open func(ctx context.Context) (L, error)

	state    atomic.Pointer[linkState[L]] // nil before Start
	losses   atomic.Int64
	killed   atomic.Bool // no other link is opened
	canceler WriteCanceler
}

// A linkState is a link, or why there is none.
type linkState[L Link] struct {
	link L
	down error  // why there is no link; nil: there is one
	cut  func() // cuts the link, or the last one while it is drained and closed; nil: there is none
}

// Start begins to use the first link. ctx is that of Setup, whose end does not matter.
func (s *Links[L]) Start(ctx context.Context, first L) {
	s.canceler.Cut = s.Cut
	background, consuming := s.Begin(ctx)
	s.state.Store(&linkState[L]{link: first, cut: first.Cut})
	go s.keep(background, consuming, first)
}

// Send publishes a message over the link in use. When ctx ends, a call that hangs is ended with
// its link.
func (s *Links[L]) Send(ctx context.Context, payload []byte) error {
	s.canceler.Enter(ctx)
	defer s.canceler.Leave()
	state := s.state.Load()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case state == nil:
		return ErrNotSetUp
	case state.down != nil:
		return state.down
	}
	err := state.link.Send(payload)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w while the socket was blocked: %w", ctx.Err(), err)
	}
	return err
}

// Losses returns how many links were lost.
func (s *Links[L]) Losses() int64 { return s.losses.Load() }

// Current returns the link in use; ok is false if there is none.
func (s *Links[L]) Current() (l L, ok bool) {
	if state := s.state.Load(); state != nil && state.down == nil {
		return state.link, true
	}
	return l, false
}

// Cut ends every call that hangs on the link in use, or on the last one while it ends.
func (s *Links[L]) Cut() {
	if state := s.state.Load(); state != nil && state.cut != nil {
		state.cut()
	}
}

// Finish ends the link, and a Request that hangs on it. When ctx ends it does not wait for the
// broker any longer.
func (s *Links[L]) Finish(ctx context.Context) {
	if s.canceler.Cut == nil {
		return
	}
	s.canceler.Release()
	s.Stop(ctx, s.Cut)
}

// keep waits until the link is lost and opens another one, again and again, until ctx ends; or
// consuming, which ends no later than ctx.
func (s *Links[L]) keep(ctx, consuming context.Context, l L) {
	defer s.End()
	for open := true; open; {
		cause := ErrTornDown
		select {
		case cause = <-l.Lost():
		case <-consuming.Done():
		}
		if consuming.Err() != nil {
			cause = ErrTornDown
		}
		s.state.Store(&linkState[L]{down: cause, cut: l.Cut})
		drainer, drains := any(l).(Drainer)
		switch {
		case s.killed.Load():
			l.Cut()
		case consuming.Err() == nil:
			s.losses.Add(1)
			s.Note("disconnected: %v", cause)
			l.Cut()
		case ctx.Err() == nil && drains:
			drainer.Drain(ctx)
		}
		l.Close(cause)
		l, open = s.reopen(ctx, consuming)
	}
	s.state.Store(&linkState[L]{down: ErrTornDown})
}

// reopen tries until it has a link; open is false when consuming has ended before.
func (s *Links[L]) reopen(ctx, consuming context.Context) (l L, open bool) {
	s.Reconnect(ctx, consuming, func(attempt context.Context) (err error) {
		if l, err = s.Open(attempt); err == nil && s.killed.Load() {
			l.Cut()
			l.Close(ErrTornDown)
			err = ErrTornDown
		}
		if err != nil {
			s.state.Store(&linkState[L]{down: err})
			return err
		}
		s.state.Store(&linkState[L]{link: l, cut: l.Cut})
		open = true
		return nil
	})
	return l, open
}
