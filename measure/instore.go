package measure

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// inStore counts how often each message is in the store: not, once, or more often. A message that
// was delivered and is still there counts as a copy.
type inStore struct {
	acked     *record.Bitmap
	delivered *record.Bitmap // nil if delivered messages stay in the store
	once      *record.Bitmap
	again     *record.Bitmap // nil beside delivered, where copies are counted one by one
	lost      *record.Bitmap // acknowledged messages that are not there
	copies    int64
	discards  *discards    // nil if the store has no limit
	reach     []uint64     // by connection: before which message those that are not there may be discarded; nil: none was
	read      atomic.Int64 // so far: read while it grows
}

func newInStore(acked, delivered *record.Bitmap) *inStore {
	k := &inStore{acked: acked, delivered: delivered, once: record.NewBitmap(acked.Connections()), lost: record.NewBitmap(acked.Connections())}
	if delivered == nil {
		k.again = record.NewBitmap(acked.Connections())
	}
	return k
}

func (k *inStore) add(mine func([]byte) (int, uint64, bool), payload []byte) {
	conn, seq, ok := mine(payload)
	if !ok {
		k.discards.foreign(payload)
		return // a probe, or another program's message
	}
	k.read.Add(1)
	k.discards.own(conn, seq)
	switch there := k.once.Has(conn, seq); {
	case there && k.again != nil:
		k.again.Mark(conn, seq)
	case there || k.taken(conn, seq):
		k.copies++
	}
	k.once.Mark(conn, seq)
}

// taken reports whether a message was delivered, and may be gone from the store.
func (k *inStore) taken(conn int, seq uint64) bool {
	return k.delivered != nil && k.delivered.Has(conn, seq)
}

func (k *inStore) result() *results.Audit {
	r := &results.Audit{Read: k.read.Load(), Acked: k.acked.Count(), Taken: k.delivered != nil, Duplicates: k.copies}
	if k.again != nil {
		r.Duplicates = k.again.Count()
	}
	acked := int64(0) // of those in the store
	k.acked.All(func(conn int, seq uint64) {
		there := k.once.Has(conn, seq)
		if there {
			acked++
		}
		switch {
		case k.taken(conn, seq):
			r.Delivered++
		case there:
			r.Kept++
		case k.reach != nil && seq < k.reach[conn]:
			r.Discarded++
		default:
			k.lost.Mark(conn, seq)
			lose(r, results.MessageID{Conn: conn, Seq: seq})
		}
	})
	r.Unacked = k.once.Count() - acked
	return r
}

// lose counts and names a missing message.
func lose(r *results.Audit, one results.MessageID) {
	r.Missing++
	if r.First == nil {
		r.First = &one
	}
	r.Last = &one
	if len(r.Some) < mostMissing {
		r.Some = append(r.Some, one)
	}
}

// mostMissing is how many missing messages a result names.
const mostMissing = 100

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
