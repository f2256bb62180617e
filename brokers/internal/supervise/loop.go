// Package supervise keeps a connection from Setup to Teardown, for clients that do not
// reconnect by themselves.
package supervise

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A Loop is the goroutine that makes a connection again whenever it is lost, and the events
// that tell of it. Its methods are safe for concurrent use after Begin.
type Loop struct {
	requester.EventLog

	Pause time.Duration // before each attempt to reconnect

	cancel context.CancelFunc // nil before Begin
	hush   context.CancelFunc
	ended  chan struct{}
}

// Begin returns the contexts of the loop, which the caller starts after it. Stop ends both;
// Rest ends only consuming, at which what was delivered is still passed on.
func (l *Loop) Begin(setup context.Context) (ctx, consuming context.Context) {
	l.ended = make(chan struct{})
	ctx, l.cancel = context.WithCancel(context.WithoutCancel(setup))
	consuming, l.hush = context.WithCancel(ctx)
	return ctx, consuming
}

// End says that the loop has ended.
func (l *Loop) End() { close(l.ended) }

// Stop ends the loop, if it has begun, and waits for it. When ctx ends it calls cut, which ends
// whatever waits for the broker.
func (l *Loop) Stop(ctx context.Context, cut func()) {
	if l.cancel == nil {
		return
	}
	l.cancel()
	defer context.AfterFunc(ctx, cut)()
	<-l.ended
}

// Rest ends the loop, if it has begun, so that the broker keeps all that is not delivered. It
// waits for it until ctx ends.
func (l *Loop) Rest(ctx context.Context) error {
	if l.cancel == nil {
		return nil
	}
	l.hush()
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
