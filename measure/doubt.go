package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// What was acknowledged and is not there may be held by a consumer for doubtLimit, and is
// looked for every doubtPause.
const (
	doubtLimit = 30 * time.Second
	doubtPause = 500 * time.Millisecond
)

// search reads the store; again, while something is missing that may come back. What is
// missing is lost only if the system, asked before the last reading, knew no other reason: a
// message that comes back between the two is read.
func (a *audit) search(ctx context.Context, kept *inStore, add func([]byte)) error {
	doubter, doubts := a.auditor.(requester.Doubter)
	for begun := (time.Time{}); ; {
		if err := a.auditor.Audit(ctx, add); err != nil || !doubts {
			return err
		}
		if begun.IsZero() { // the first reading may have taken longer than the limit
			begun = time.Now()
		}
		missing := kept.missing()
		if missing == 0 {
			return nil
		}
		switch err := doubter.Doubt(ctx); {
		case err == nil:
			doubts = false
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

// missing returns how many messages were acknowledged and are not there, so far.
func (k *inStore) missing() (n int64) {
	k.acked.all(func(conn int, seq uint64) {
		if !k.taken(conn, seq) && !k.once.has(conn, seq) {
			n++
		}
	})
	return n
}
