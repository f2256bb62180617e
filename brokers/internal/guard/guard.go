// Package guard ends a Request that hangs in a socket, for clients that take no context.
package guard

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// grace is how long a Request may continue after its context has ended before its
// connection is cut: it may be about to return.
const grace = 50 * time.Millisecond

// A Guard ends a Request that hangs in the socket: a broker that is low on memory
// or frozen stops reading, and the client takes no contexts. It observes each
// context once, not once for each Request, which would cost an allocation and two
// locks each time.
type Guard struct {
	Cut   func()        // ends the connection
	calls atomic.Uint64 // odd while a Request is under way

	observed <-chan struct{} // Done of the observed context; only Request uses it

	mu       sync.Mutex
	released bool
	stop     func() bool // stops observing; nil: nothing is observed
}

// Enter begins a Request. It counts the call before the caller checks ctx:
// otherwise a context that ends in between would find no call to cut off.
func (g *Guard) Enter(ctx context.Context) {
	g.calls.Add(1)
	if done := ctx.Done(); done != g.observed {
		g.observe(ctx)
		g.observed = done
	}
}

// Leave ends a Request.
func (g *Guard) Leave() { g.calls.Add(1) }

// observe replaces the observed context by ctx: when it ends, a Request that hangs
// is cut off.
func (g *Guard) observe(ctx context.Context) {
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
func (g *Guard) free() {
	call := g.calls.Load()
	if call%2 == 0 {
		return
	}
	time.Sleep(grace)
	if g.calls.Load() == call {
		g.Cut()
	}
}

// Release stops observing for good, and cuts off a Request that hangs.
func (g *Guard) Release() {
	g.mu.Lock()
	g.released = true
	if g.stop != nil {
		g.stop()
	}
	g.mu.Unlock()
	g.free()
}
