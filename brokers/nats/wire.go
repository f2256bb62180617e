package nats

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A wire is the socket of a connection, whichever it is at the moment: nats.go
// dials through it. It holds what nats.go does not offer: to end a dial or a
// write that is blocked, and to know without nats.go's lock, which is held
// during a dial, whether there is a connection.
type wire struct {
	dialer  net.Dialer
	noDelay bool
	alive   context.Context // of the wire, for its dials
	cancel  context.CancelFunc
	up      atomic.Bool // the client is connected, as far as is known

	mu     sync.Mutex
	socket net.Conn // the last one; nil before the first
	failed error    // why the last dial failed; nil if it did not
	closed bool
	ctx    <-chan struct{} // Done of the context that a write obeys
	stop   func() bool     // ends the watch over that context
}

func newWire(o *options) *wire {
	w := &wire{dialer: net.Dialer{Timeout: o.dialTimeout}, noDelay: o.noDelay, stop: func() bool { return true }}
	w.alive, w.cancel = context.WithCancel(context.Background())
	return w
}

// Dial implements nats.CustomDialer.
func (w *wire) Dial(network, address string) (net.Conn, error) {
	socket, err := w.dialer.DialContext(w.alive, network, address)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = err
	if err != nil {
		return nil, err
	}
	if w.closed {
		_ = socket.Close()
		return nil, net.ErrClosed
	}
	if tcp, ok := socket.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(w.noDelay)
	}
	w.socket = socket
	return &plug{Conn: socket, wire: w}, nil
}

// dialError returns why the last dial failed: nats.go swallows a refusal.
func (w *wire) dialError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// obey makes writes end when ctx is done. To watch over a context costs an
// allocation, so it is done once for each context, not for each write.
func (w *wire) obey(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := ctx.Done()
	if done == w.ctx { // only requests, of which there is one at a time, change it
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	w.ctx = done
	if w.socket != nil && !w.closed {
		_ = w.socket.SetWriteDeadline(time.Time{}) // an earlier context may have cut it off
	}
	w.stop = context.AfterFunc(ctx, func() { w.cut(done) })
	return nil
}

// cut ends a write that is blocked, unless another context came to count.
func (w *wire) cut(done <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx == done && w.socket != nil {
		_ = w.socket.SetWriteDeadline(time.Unix(1, 0))
	}
}

// close ends whatever is blocked, for good: a dial, a handshake, a write.
func (w *wire) close() {
	w.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.stop()
	if w.socket == nil {
		return
	}
	if w.up.Load() { // nats.go closes it, and does not take it for an outage
		_ = w.socket.SetWriteDeadline(time.Unix(1, 0))
	} else {
		_ = w.socket.Close()
	}
}

// A plug is what nats.go has of a wire's socket.
type plug struct {
	net.Conn
	wire *wire
}

// Close also notes that there is no connection any more.
func (p *plug) Close() error {
	p.wire.up.Store(false)
	return p.Conn.Close()
}

// Write closes the socket after an error: a message may have been cut in two,
// and TLS does not go on after one.
func (p *plug) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	if err != nil {
		_ = p.Close()
	}
	return n, err
}
