package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A consumer may hold an acknowledged message for doubtLimit. Meanwhile the store is read again
// every doubtPause.
const (
	doubtLimit = 30 * time.Second
	doubtPause = 500 * time.Millisecond
)

// search reads the store, and again while a missing message may come back. A missing message is
// lost only if the system, asked before the last reading, had no other explanation: a message
// that comes back between the question and the reading is read.
func (a *audit) search(ctx context.Context, kept *inStore, add func([]byte)) error {
	explain := a.store.Explain
	for begun := (time.Time{}); ; {
		if err := a.auditor.Audit(ctx, add); err != nil || explain == nil {
			return err
		}
		if begun.IsZero() { // the first reading may have taken longer than the limit
			begun = time.Now()
		}
		missing := kept.missing()
		if missing == 0 {
			return nil
		}
		switch err := explain(ctx); {
		case err == nil:
			explain = nil // this reading is the last
		case !errors.Is(err, requester.ErrHeld) || time.Since(begun) >= doubtLimit:
			return fmt.Errorf("not decided: %d of %d messages that were acknowledged were not found: %w", missing, a.acked, err)
		case !pause(ctx, doubtPause):
			return ctx.Err()
		}
	}
}

// pause waits, and tells whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// missing returns how many acknowledged messages were not found so far.
func (k *inStore) missing() (n int64) {
	k.acked.All(func(conn int, seq uint64) {
		if !k.taken(conn, seq) && !k.once.Has(conn, seq) {
			n++
		}
	})
	return n
}
