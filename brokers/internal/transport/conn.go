package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/requester"
)

// ErrNotBack means that Setup's probe did not come back.
var ErrNotBack = errors.New("a message did not come back")

// A Conn is a connection of a client that does not reconnect by itself. It implements the
// methods of a [requester.Requester] but Traits; a broker's connection embeds it. A message that
// is too short for a request is a probe.
type Conn[L Link] struct {
	Links[L]

	Sink    requester.Sink
	Explain func(doing string, err error) error // adds the target and the remedy to an error; nil for nil

	ending atomic.Bool // nothing is passed on any longer
	probed chan []byte // gets deliveries that are too short for a request
}

// NewMark returns a message that is too short for a request, and unique.
func NewMark() []byte {
	message := make([]byte, requester.StampSize/2)
	_, _ = rand.Read(message) // never fails
	return message
}

// Setup implements [requester.Requester].
func (c *Conn[L]) Setup(ctx context.Context) error {
	c.probed = make(chan []byte, 1)
	l, err := c.Open(ctx)
	if err != nil {
		return c.Explain("setting up", err)
	}
	if err := c.probe(ctx, l); err != nil {
		l.Close(err)
		return c.Explain("probing", err)
	}
	c.Start(ctx, l)
	return nil
}

// probe sends a message over a link and waits for it.
func (c *Conn[L]) probe(ctx context.Context, l L) error {
	defer context.AfterFunc(ctx, l.Cut)()
	message := NewMark()
	err := l.Probe(ctx, message)
	for err == nil {
		select {
		case got := <-c.probed:
			if bytes.Equal(got, message) {
				return nil
			}
		case err = <-l.Lost():
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil && ctx.Err() != nil { // which cuts the link
			err = fmt.Errorf("%w: %w", ErrNotBack, ctx.Err())
		}
	}
	return err
}

// Request implements [requester.Requester].
func (c *Conn[L]) Request(ctx context.Context, payload []byte) error {
	if err := c.Send(ctx, payload); err != nil {
		return c.Explain("publishing", err)
	}
	return nil
}

// Deliver passes on a message that was delivered; taken is false if it was dropped.
func (c *Conn[L]) Deliver(payload []byte) (taken bool) {
	switch {
	case c.ending.Load():
		return false
	case len(payload) >= requester.StampSize:
		c.Sink.Reply(payload)
	default:
		select {
		case c.probed <- payload:
		default: // no probe is awaited
		}
	}
	return true
}

// Mute drops everything that comes from now on.
func (c *Conn[L]) Mute() { c.ending.Store(true) }

// Acked passes on that a message was acknowledged.
func (c *Conn[L]) Acked(message []byte) {
	if !c.ending.Load() {
		c.Sink.Acked(message)
	}
}

// Failed passes on that a message failed after Request had returned.
func (c *Conn[L]) Failed(message []byte, cause error) {
	if !c.ending.Load() {
		c.Sink.Failed(message, c.Explain("publishing", cause))
	}
}

// Teardown implements [requester.Requester].
func (c *Conn[L]) Teardown(ctx context.Context) error {
	c.Mute()
	c.Finish(ctx)
	return nil
}
