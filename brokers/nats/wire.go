package nats

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/refusal"
)

// A wire is the current socket of a connection: nats.go dials through it. It adds
// what nats.go does not offer: it can end a blocked dial or write, and it knows
// whether there is a connection without taking nats.go's lock, which is held
// during a dial.
type wire struct {
	dialer  net.Dialer
	noDelay bool
	at      func(addr string) string // where to dial
	alive   context.Context          // ends dials when the wire is closed
	cancel  context.CancelFunc
	up      atomic.Bool // the client is connected, as far as we know

	mu     sync.Mutex
	socket net.Conn // the last one; nil before the first
	failed error    // why the last dial failed; nil if it did not
	plug   *plug    // the last one; nil before the first
	closed bool
	ctx    <-chan struct{} // Done of the context that a write obeys
	stop   func() bool     // stops observing that context
}

func newWire(f *Factory) *wire {
	o := &f.options
	w := &wire{dialer: net.Dialer{Timeout: o.dialTimeout}, noDelay: o.noDelay, at: f.target.At, stop: func() bool { return true }}
	w.alive, w.cancel = context.WithCancel(context.Background())
	return w
}

// Dial implements nats.CustomDialer.
func (w *wire) Dial(network, address string) (net.Conn, error) {
	socket, err := w.dialer.DialContext(w.alive, network, w.at(address))
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
	w.socket, w.plug = socket, &plug{Conn: refusal.Conn{Conn: socket}, wire: w}
	return w.plug, nil
}

// dialError returns why the last dial failed: nats.go swallows a refusal.
func (w *wire) dialError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// connected says that the client is connected.
func (w *wire) connected() {
	w.up.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plug.Settled()
}

// refused returns what the server said when it refused the connection, which
// nats.go does not read if its own write fails first, or if it begins TLS; nil if
// it said nothing, or nats.go's err says it already.
func (w *wire) refused(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plug == nil {
		return nil
	}
	said := strings.ToLower(strings.Trim(strings.TrimPrefix(w.plug.Reason(), "ERR "), "'"))
	if said == "" || strings.Contains(strings.ToLower(err.Error()), said) {
		return nil
	}
	return fmt.Errorf("the server said: %s", said)
}

// obey makes writes end when ctx is done. Observing a context costs an allocation,
// so this happens once for each context, not for each write.
func (w *wire) obey(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := ctx.Done()
	if done == w.ctx { // only Request changes it, and there is one at a time
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	w.ctx = done
	if w.socket != nil && !w.closed {
		_ = w.socket.SetWriteDeadline(time.Time{}) // an earlier context may have set one
	}
	w.stop = context.AfterFunc(ctx, func() { w.cut(done) })
	return nil
}

// cut ends a blocked write, unless obey has been called with another context.
func (w *wire) cut(done <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx == done && w.socket != nil {
		_ = w.socket.SetWriteDeadline(time.Unix(1, 0))
	}
}

// close ends a blocked dial, handshake or write, and those to come.
func (w *wire) close() {
	w.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.stop()
	if w.socket == nil {
		return
	}
	if w.up.Load() { // nats.go closes it itself: closed here, it would be an outage
		_ = w.socket.SetWriteDeadline(time.Unix(1, 0))
	} else {
		_ = w.socket.Close()
	}
}

// A plug is the socket that a wire hands to nats.go.
type plug struct {
	refusal.Conn
	wire *wire
}

// Close also marks the wire as not connected.
func (p *plug) Close() error {
	p.wire.up.Store(false)
	return p.Conn.Close()
}

// Write closes the socket after an error: half a message may have been written,
// and TLS cannot go on after an error.
func (p *plug) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	if err != nil {
		_ = p.Close()
	}
	return n, err
}
