package requester

import (
	"context"
	"fmt"
)

// Do sends one request, waits for its reply and returns it. It must not keep
// payload, and must return soon after ctx is done. The reply must be equal to
// payload. With an error the message counts as failed.
type Do func(ctx context.Context, payload []byte) ([]byte, error)

// Blocking turns a function that sends a request and waits for its reply into a
// [Factory], as http.HandlerFunc turns a function into a handler. Use it for an
// HTTP call, a database query, or a benchmark that you already have.
//
// Each connection calls do for one request at a time, in its worker goroutine.
// Several connections call it concurrently.
func Blocking(do Do) Factory {
	return BlockingFactory(func(int) (Do, func() error, error) { return do, nil, nil })
}

// A BlockingFactory is like [Blocking], for connections that have state: a socket,
// a session. It is called with the connection's number when that connection is
// set up. teardown is called when the connection is torn down; it may be nil.
type BlockingFactory func(conn int) (do Do, teardown func() error, err error)

// New implements [Factory].
func (f BlockingFactory) New(conn int, sink Sink) (Requester, error) {
	return &blocking{open: f, conn: conn, sink: sink}, nil
}

// blocking carries one request at a time through do.
type blocking struct {
	open BlockingFactory
	conn int
	sink Sink

	teardown func() error // nil if there is nothing to do
	requests chan []byte  // what the worker has not taken yet
	free     chan []byte  // the buffers that hold no request: two, because a
	// reply may issue the next request before it returns
	ended  chan struct{} // closed when the worker has returned
	cancel context.CancelFunc
}

// Traits implements [Requester]: do carries one message at a time.
func (b *blocking) Traits() Traits { return Traits{InFlight: 1} }

// Setup opens the connection, proves it with one request, and starts the worker.
func (b *blocking) Setup(ctx context.Context) error {
	do, teardown, err := b.open(b.conn)
	if err != nil {
		return fmt.Errorf("opening connection %d: %w", b.conn, err)
	}
	b.teardown = teardown
	probe := make([]byte, StampSize)
	if _, err := do(ctx, probe); err != nil {
		return fmt.Errorf("probing connection %d: %w", b.conn, err)
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
				b.sink.Failed(payload, err)
			} else {
				b.sink.Reply(out)
			}
			b.free <- payload
		}
	}
}

// Request hands a copy of payload to the worker. It blocks only while two requests
// are under way, which the engine avoids because of Traits.
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
			return fmt.Errorf("connection %d: the blocking call has not returned: %w", b.conn, ctx.Err())
		}
	}
	teardown := b.teardown
	b.teardown = nil
	if teardown == nil {
		return nil
	}
	return teardown()
}
