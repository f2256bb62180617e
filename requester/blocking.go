package requester

import (
	"context"
	"fmt"
)

// Do sends one request and waits for its reply. It must not keep payload, and must
// return soon after ctx is done. Its result is passed to Reply as it is; an error
// counts the op as failed.
type Do func(ctx context.Context, payload []byte) ([]byte, error)

// Blocking makes a [Factory] of a function that sends a request and waits for
// its reply, as http.HandlerFunc makes a handler of a function: for an HTTP
// call, a query, or the synchronous Request of another benchmark.
//
// Each connection calls do for one request at a time, in a goroutine of its
// own; connections call it concurrently.
func Blocking(do Do) Factory {
	return BlockingFactory(func(int) (Do, func() error, error) { return do, nil, nil })
}

// A BlockingFactory is [Blocking] for systems in which each connection has a
// state of its own. It is called with the connection's number when that
// connection is set up; teardown, which may be nil, when it is torn down.
type BlockingFactory func(conn int) (do Do, teardown func() error, err error)

// New implements [Factory].
func (f BlockingFactory) New(conn int, reply Reply) (Requester, error) {
	return &blocking{open: f, conn: conn, reply: reply, fail: func([]byte, error) {}}, nil
}

// blocking carries one request at a time through do.
type blocking struct {
	open  BlockingFactory
	conn  int
	reply Reply
	fail  func([]byte, error)

	teardown func() error // nil if there is nothing to do
	requests chan []byte  // what the worker has not taken yet
	free     chan []byte  // the buffers that hold no request: two, because a
	// reply may issue the next request before it returns
	ended  chan struct{} // closed when the worker has returned
	cancel context.CancelFunc
}

// InFlightLimit implements [InFlightLimiter]: do carries one at a time.
func (b *blocking) InFlightLimit() int { return 1 }

// NotifyFailure implements [FailureNotifier].
func (b *blocking) NotifyFailure(fail func([]byte, error)) { b.fail = fail }

// Setup opens the connection, proves it with one request, and starts the worker.
func (b *blocking) Setup(ctx context.Context) error {
	do, teardown, err := b.open(b.conn)
	if err != nil {
		return fmt.Errorf("requester: opening connection %d: %w", b.conn, err)
	}
	b.teardown = teardown
	probe := make([]byte, StampSize)
	if _, err := do(ctx, probe); err != nil {
		return fmt.Errorf("requester: probing connection %d: %w", b.conn, err)
	}
	b.requests, b.free = make(chan []byte, 2), make(chan []byte, 2)
	b.free <- nil
	b.free <- nil
	b.ended = make(chan struct{})
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b.cancel = cancel
	go b.work(work, do)
	return nil
}

// work calls do for each request until ctx is done.
func (b *blocking) work(ctx context.Context, do Do) {
	defer close(b.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case payload := <-b.requests:
			if out, err := do(ctx, payload); err != nil {
				b.fail(payload, err)
			} else {
				b.reply(out)
			}
			b.free <- payload
		}
	}
}

// Request hands a copy of payload to the worker. It blocks only while more than
// one request is under way, which the engine avoids.
func (b *blocking) Request(ctx context.Context, payload []byte) error {
	select {
	case buf := <-b.free:
		b.requests <- append(buf[:0], payload...) // never blocks: it has room for every buffer
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Teardown stops the worker, waits for it, and tears down what was opened.
func (b *blocking) Teardown(ctx context.Context) error {
	if b.cancel != nil {
		b.cancel()
		select {
		case <-b.ended:
		case <-ctx.Done():
			return fmt.Errorf("requester: connection %d: the blocking call has not returned: %w", b.conn, ctx.Err())
		}
	}
	teardown := b.teardown
	b.teardown = nil
	if teardown == nil {
		return nil
	}
	return teardown()
}
