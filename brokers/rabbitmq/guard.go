package rabbitmq

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// grace is how long a Request may go on after its context has ended, before its
// connection is cut: it may be about to return.
const grace = 50 * time.Millisecond

// A guard ends a Request that hangs in the socket: a broker that is low on
// memory or frozen stops reading, and amqp091-go knows of no contexts. Watching a
// context is arranged once, and not for each Request: that would cost an
// allocation and two locks each time.
type guard struct {
	cut   func()        // ends the connection
	calls atomic.Uint64 // odd while a Request is under way

	watched <-chan struct{} // Done of the context that is watched; Request alone uses it

	mu       sync.Mutex
	released bool
	stop     func() bool // ends the watch; nil: there is none
}

// enter begins a Request. It counts before the caller looks at ctx: else a
// context that ends in between would find nobody to cut off.
func (g *guard) enter(ctx context.Context) {
	g.calls.Add(1)
	if done := ctx.Done(); done != g.watched {
		g.watch(ctx)
		g.watched = done
	}
}

// leave ends a Request.
func (g *guard) leave() { g.calls.Add(1) }

// watch has the connection cut if a Request hangs when ctx has ended, instead of
// the context before.
func (g *guard) watch(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stop != nil {
		g.stop()
	}
	if !g.released {
		g.stop = context.AfterFunc(ctx, g.free)
	}
}

// free cuts the connection if a Request hangs on it.
func (g *guard) free() {
	call := g.calls.Load()
	if call%2 == 0 {
		return
	}
	time.Sleep(grace)
	if g.calls.Load() == call {
		g.cut()
	}
}

// release ends the watch for good, and a Request that hangs.
func (g *guard) release() {
	g.mu.Lock()
	g.released = true
	if g.stop != nil {
		g.stop()
	}
	g.mu.Unlock()
	g.free()
}
