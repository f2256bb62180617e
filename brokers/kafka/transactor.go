package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A transactor puts the messages of a connection into transactions, one after the other: a
// producer can have only one open. While it ends, franz-go takes no message. Those that
// become due meanwhile wait here, for the next one; the engine's bound of what is in flight
// bounds them, and the connection's budget.
//
// A message is acknowledged when its transaction is committed. The broker has answered its
// produce request long before: that promises nothing.
type transactor struct {
	conn   *conn
	client *kgo.Client
	length time.Duration // how long a transaction stays open; 0: for one message

	wake  chan struct{} // has a token while a message may wait
	ended chan struct{} // closed when serve is over; nil before it is begun

	mu      sync.Mutex
	open    bool                        // messages go into the transaction that is open
	waiting []*message                  // that came while none was
	inside  [][requester.StampSize]byte // of the one that is open: what the broker has answered
	cause   error                       // why it cannot be committed
	dead    error                       // why there can be none any more
}

func newTransactor(c *conn, length time.Duration) *transactor {
	return &transactor{conn: c, client: c.client, length: length, wake: make(chan struct{}, 1)}
}

// add puts a message into the transaction that is open, or lets it wait for the next one. It
// does not wait for the broker.
func (t *transactor) add(m *message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.dead != nil:
		m.release()
		return t.dead
	case t.open:
		t.produce(m) // under the lock: franz-go takes none while a transaction ends
		return nil
	}
	t.waiting = append(t.waiting, m)
	select {
	case t.wake <- struct{}{}:
	default: // awake already
	}
	return nil
}

func (t *transactor) produce(m *message) {
	t.client.Produce(context.Background(), &m.record, m.done)
}

// produced notes what became of a message. A message that the broker refused ends its
// transaction for all that are in it.
func (t *transactor) produced(payload []byte, err error) {
	var stamp [requester.StampSize]byte
	copy(stamp[:], payload)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inside = append(t.inside, stamp)
	if err != nil && t.cause == nil {
		t.cause = err
	}
}

// serve begins and ends transactions until ctx is done. What is open then is aborted. The
// calls of franz-go end with live alone: it would not be known how a commit ended whose
// context did.
func (t *transactor) serve(ctx, live context.Context) {
	defer close(t.ended)
	for {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return
		}
		for t.begin() {
			commit := t.await(ctx)
			t.end(live, commit)
			if !commit {
				return
			}
		}
	}
}

// begin begins a transaction with what waits: with one message, or with all if it stays
// open. It returns false if nothing waits, or if there can be no transaction any more.
func (t *transactor) begin() bool {
	t.mu.Lock()
	wanted := len(t.waiting) > 0 && t.dead == nil
	t.mu.Unlock()
	if !wanted {
		return false
	}
	// Without the lock: after an error this asks the coordinator.
	if err := t.client.BeginTransaction(); err != nil {
		t.die(err)
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.waiting)
	if t.length == 0 {
		n = 1
	}
	for _, m := range t.waiting[:n] {
		t.produce(m)
	}
	t.waiting = slices.Delete(t.waiting, 0, n)
	t.open = t.length > 0
	return true
}

// await waits until the transaction shall end, and tells whether it may be committed: at
// the end of the run nobody wants that any more.
func (t *transactor) await(ctx context.Context) (commit bool) {
	if t.length > 0 {
		select {
		case <-time.After(t.length):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// end ends the transaction that is open.
func (t *transactor) end(ctx context.Context, commit bool) {
	t.mu.Lock()
	t.open = false
	t.mu.Unlock()
	_ = t.client.Flush(ctx) // until produced was called for each
	t.mu.Lock()
	inside, cause := t.inside, t.cause
	t.inside, t.cause = nil, nil
	t.mu.Unlock()
	switch {
	case !commit:
		t.abort(ctx)
	case cause != nil:
		t.abort(ctx)
		t.fail(inside, cause)
	default:
		t.commit(ctx, inside)
	}
	t.mu.Lock()
	if t.inside == nil {
		t.inside = inside[:0] // its room
	}
	t.mu.Unlock()
}

func (t *transactor) commit(ctx context.Context, inside [][requester.StampSize]byte) {
	begun := time.Now()
	err := t.client.EndTransaction(ctx, kgo.TryCommit)
	if err == nil {
		took := time.Since(begun)
		t.conn.acknowledge(inside)
		t.conn.factory.measured.transactions.commit(len(inside), took)
		return
	}
	t.abort(ctx)
	if definite(err) {
		t.fail(inside, err)
		return
	}
	t.conn.events.Note("committing a transaction of %d messages: it is not known whether it was: %v", len(inside), err)
}

// definite tells whether the coordinator itself has said that it does not commit.
func definite(err error) bool {
	var said *kerr.Error
	return errors.As(err, &said) && !said.Retriable && !errors.Is(err, kerr.UnknownServerError)
}

func (t *transactor) abort(ctx context.Context) {
	t.conn.factory.measured.transactions.abort()
	if err := t.client.EndTransaction(ctx, kgo.TryAbort); err != nil {
		t.die(err)
	}
}

// fail reports the messages of a transaction that was aborted.
func (t *transactor) fail(inside [][requester.StampSize]byte, cause error) {
	err := t.conn.factory.explain("committing a transaction", aborted(cause))
	for i := range inside {
		t.conn.failures.add(inside[i][:], err)
	}
}

// die refuses all further messages, and those that wait: franz-go can begin no transaction
// any more.
func (t *transactor) die(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dead = t.conn.factory.explain("beginning a transaction", err)
	for _, m := range t.waiting {
		t.conn.failures.add(m.payload, t.dead)
		m.release()
	}
	t.waiting = nil
}

// probe sends records in a transaction.
func (t *transactor) probe(ctx context.Context, records []*kgo.Record) error {
	if _, _, err := t.client.ProducerID(ctx); err != nil {
		return noCoordinator{err}
	}
	if err := t.client.BeginTransaction(); err != nil {
		return err
	}
	if err := t.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	return t.client.EndTransaction(ctx, kgo.TryCommit)
}

// noCoordinator is an error of the first request to a transaction's coordinator, which
// franz-go repeats until its context ends.
type noCoordinator struct{ error }

// Unwrap returns the cause.
func (n noCoordinator) Unwrap() error { return n.error }

// because is [target.Because], and keeps that there was no coordinator.
func because(ctx context.Context, err error) error {
	var n noCoordinator
	if errors.As(err, &n) {
		return noCoordinator{target.Because(ctx, n.error)}
	}
	return target.Because(ctx, err)
}
