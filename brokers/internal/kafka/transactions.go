package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	minOpen = time.Millisecond
	maxOpen = 5 * time.Second // the engine's first message must come back within 10 s
	// transactionGrace is how much longer than it stays open a transaction may live, such as
	// while a broker restarts. Then the coordinator aborts it, and franz-go's producer can
	// begin no other. By default brokers allow a quarter of an hour.
	transactionGrace = 5 * time.Minute
)

// transactions is the value of the option that puts messages into transactions.
type transactions struct {
	on   bool
	open time.Duration // how long one stays open; 0: for one message
}

// String implements flag.Value.
func (t *transactions) String() string {
	switch {
	case !t.on:
		return "none"
	case t.open == 0:
		return "each"
	}
	return t.open.String()
}

// Set implements flag.Value.
func (t *transactions) Set(s string) error {
	switch s {
	case "none":
		*t = transactions{}
		return nil
	case "each":
		*t = transactions{on: true}
		return nil
	}
	open, err := time.ParseDuration(s)
	if err != nil || open == 0 {
		return errors.New("want none, each, or how long a transaction stays open, such as 100ms")
	}
	*t = transactions{on: true, open: open}
	return nil
}

// transactional returns the options for a connection's transactions. Its ID is the name of its
// topic, which is unique.
func (o *options) transactional(id string) []kgo.Opt {
	if !o.transactions.on {
		return nil
	}
	return []kgo.Opt{
		kgo.TransactionalID(id),
		kgo.TransactionTimeout(o.transactions.open + transactionGrace),
		kgo.ConcurrentTransactionsBackoff(concurrentBackoff),
		// The run's timeout decides the cost of an outage: a commit is repeated until it is
		// answered. Otherwise its outcome would not be known.
		kgo.RequestRetries(math.MaxInt32),
		kgo.RetryTimeout(0),
	}
}

// concurrentBackoff is the pause before a transaction that the coordinator still ends is
// asked about again. franz-go's default is 20 ms.
const concurrentBackoff = 5 * time.Millisecond

// errAborted is why a message failed whose transaction was aborted because of another.
var errAborted = errors.New("its transaction was aborted")

// A transactor puts the messages of a connection into transactions, one after the other: a
// producer can have only one open. While it ends, franz-go takes no message. Messages that
// become due meanwhile wait here for the next one; the engine's bound of messages in flight
// limits them, and that of the connection.
//
// A message is acknowledged when its transaction is committed, long after the broker has
// answered its produce request.
type transactor struct {
	conn   *conn
	client *kgo.Client
	length time.Duration // how long a transaction stays open; 0: for one message

	wake  chan struct{} // has a token while a message may wait
	ended chan struct{} // closed when serve is over; nil before it is begun

	mu      sync.Mutex
	open    bool                        // messages go into the transaction that is open
	waiting []*message                  // came while none was open
	inside  [][requester.StampSize]byte // the open one's messages that the broker has answered
	cause   error                       // why it cannot be committed
	dead    error                       // why there can be no further one
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
		m.produce(t.client) // under the lock: franz-go takes none while a transaction ends
		return nil
	}
	t.waiting = append(t.waiting, m)
	select {
	case t.wake <- struct{}{}:
	default: // awake already
	}
	return nil
}

// produced notes the outcome of a message. A message that the broker refused ends its
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

// serve begins and ends transactions until ctx is done, and aborts one that is open then. The
// calls of franz-go use live: the outcome of a commit whose context has ended is not known.
func (t *transactor) serve(ctx, live context.Context) {
	defer close(t.ended)
	for {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return
		}
		for t.begin() {
			if t.length > 0 {
				select {
				case <-time.After(t.length):
				case <-ctx.Done():
				}
			}
			t.end(live, ctx.Err() == nil)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// begin begins a transaction with one message that waits, or with all of them if it stays open.
// It returns false if none waits, or if franz-go can begin no further transaction.
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
		m.produce(t.client)
	}
	t.waiting = slices.Delete(t.waiting, 0, n)
	t.open = t.length > 0
	return true
}

// end ends the transaction that is open. At the end of the run it is aborted.
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
}

func (t *transactor) commit(ctx context.Context, inside [][requester.StampSize]byte) {
	begun := time.Now()
	err := t.client.EndTransaction(ctx, kgo.TryCommit)
	if err == nil {
		took := time.Since(begun)
		for i := range inside {
			t.conn.sink.Acked(inside[i][:])
		}
		t.conn.factory.measured.transactions.Commit(len(inside), took)
		return
	}
	t.abort(ctx)
	if definite(err) {
		t.fail(inside, err)
		return
	}
	t.conn.events.Note("committing a transaction of %d messages: the outcome is not known: %v", len(inside), err)
}

// definite reports whether the coordinator itself refuses to commit.
func definite(err error) bool {
	var said *kerr.Error
	return errors.As(err, &said) && !said.Retriable && !errors.Is(err, kerr.UnknownServerError)
}

func (t *transactor) abort(ctx context.Context) {
	t.conn.factory.measured.transactions.Abort()
	if err := t.client.EndTransaction(ctx, kgo.TryAbort); err != nil {
		t.die(err)
	}
}

// fail reports the messages of a transaction that was aborted.
func (t *transactor) fail(inside [][requester.StampSize]byte, cause error) {
	err := t.conn.factory.explain("committing a transaction", fmt.Errorf("%w: %w", errAborted, cause))
	for i := range inside {
		t.conn.failed(inside[i][:], err)
	}
}

// die refuses the messages that wait and all later ones: franz-go can begin no further
// transaction.
func (t *transactor) die(err error) {
	err = t.conn.factory.explain("beginning a transaction", err)
	t.mu.Lock()
	waiting := t.waiting
	t.dead, t.waiting = err, nil
	t.mu.Unlock()
	for _, m := range waiting {
		t.conn.failed(m.payload, err)
		m.release()
	}
}

// probe sends records in a transaction, twice. franz-go (1.22.3) can answer the first record of a
// topic before it has stored the topic's partitions. EndTransaction then finds no partition in the
// transaction and aborts it without an error. The second record waits until they are stored.
func (t *transactor) probe(ctx context.Context, records []*kgo.Record) error {
	if _, _, err := t.client.ProducerID(ctx); err != nil {
		return fmt.Errorf("%w: %w", errNoCoordinator, target.Because(ctx, err))
	}
	if err := t.client.BeginTransaction(); err != nil {
		return err
	}
	for range 2 {
		if err := t.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
			return err
		}
	}
	t.conn.step = "committing"
	return t.client.EndTransaction(ctx, kgo.TryCommit)
}

// errNoCoordinator is the cause of an error of the first request to a transaction's coordinator,
// which franz-go repeats until its context ends.
var errNoCoordinator = errors.New("no answer from a coordinator")
