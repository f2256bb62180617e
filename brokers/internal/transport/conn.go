package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/requester"
)

// ErrNotBack means that Setup's probe did not come back.
var ErrNotBack = errors.New("a message did not come back")

// A Conn is a connection of a client that does not reconnect by itself. It implements the
// methods of a [requester.Requester] but Traits; a broker's connection embeds it, and calls Init.
type Conn[L Link] struct {
	*Outcomes
	Links[L]
	leftover.Uses

	Shares []*leftover.Shared                                      // what it uses on the broker, alone or with other connections
	Make   func(ctx context.Context, share *leftover.Shared) error // makes one of them, and calls its Set
	OneWay bool                                                    // it only sends, or only receives: Setup sends no probe
}

// Init prepares a connection, which explains its errors, and pauses before each attempt to reconnect.
func (c *Conn[L]) Init(sink requester.Sink, explain func(doing string, err error) error, pause time.Duration) {
	c.Outcomes = NewOutcomes(sink, explain)
	c.Reconnector = Reconnector{Pause: pause, Event: sink.Event}
}

// NewMark returns a message that is too short for a request, and unique.
func NewMark() []byte {
	message := make([]byte, requester.StampSize/2)
	_, _ = rand.Read(message) // never fails
	return message
}

// Setup implements [requester.Requester].
func (c *Conn[L]) Setup(ctx context.Context) error {
	for _, share := range c.Shares {
		if err := c.Use(share, func() error { return c.Make(ctx, share) }); err != nil {
			return err
		}
	}
	l, err := c.Open(ctx)
	if err != nil {
		return c.Explain("setting up", err)
	}
	if !c.OneWay {
		if err := c.probe(ctx, l); err != nil {
			l.Close(err)
			return c.Explain("probing", err)
		}
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
		case got := <-c.Probed:
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

// Teardown implements [requester.Requester].
func (c *Conn[L]) Teardown(ctx context.Context) error {
	c.Mute()
	c.Finish(ctx)
	return c.Leave(ctx)
}

// Depart implements [requester.Mortal]: deliveries stop, and those that came are passed on and acknowledged.
func (c *Conn[L]) Depart(ctx context.Context) error {
	return c.Explain("leaving", c.StopConsuming(ctx))
}

// Kill implements [requester.Mortal]. It cuts the link before it mutes the connection: some clients acknowledge
// what is dropped.
func (c *Conn[L]) Kill() {
	c.killed.Store(true)
	if c.cancel != nil {
		c.cancel() // ends an attempt to reconnect
	}
	c.Cut()
	c.Mute()
	c.Finish(context.Background())
}
