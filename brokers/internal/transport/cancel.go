package transport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// grace is how long a Request may continue after its context has ended before its
// connection is cut: it may be about to return.
const grace = 50 * time.Millisecond

// A WriteCanceler ends a Request that hangs in the socket, for clients that take no
// context: a broker that is low on memory or frozen stops reading. It observes each
// context once, not once for each Request, which would cost an allocation and two
// locks each time.
type WriteCanceler struct {
	Cut   func()        // ends the connection
	calls atomic.Uint64 // odd while a Request is under way

	observed <-chan struct{} // Done of the observed context; only Request uses it

	mu       sync.Mutex
	released bool
	stop     func() bool // stops observing; nil: nothing is observed
}

// Enter begins a Request. It counts the call before the caller checks ctx:
// otherwise a context that ends in between would find no call to cut off.
func (w *WriteCanceler) Enter(ctx context.Context) {
	w.calls.Add(1)
	if done := ctx.Done(); done != w.observed {
		w.observe(ctx)
		w.observed = done
	}
}

// Leave ends a Request.
func (w *WriteCanceler) Leave() { w.calls.Add(1) }

// observe replaces the observed context by ctx: when it ends, a Request that hangs
// is cut off.
func (w *WriteCanceler) observe(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop()
	}
	if !w.released {
		w.stop = context.AfterFunc(ctx, w.free)
	}
}

// free cuts the connection if a Request hangs on it.
func (w *WriteCanceler) free() {
	call := w.calls.Load()
	if call%2 == 0 {
		return
	}
	time.Sleep(grace)
	if w.calls.Load() == call {
		w.Cut()
	}
}

// Release stops observing for good, and cuts off a Request that hangs.
func (w *WriteCanceler) Release() {
	w.mu.Lock()
	w.released = true
	if w.stop != nil {
		w.stop()
	}
	w.mu.Unlock()
	w.free()
}
