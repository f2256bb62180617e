package nats

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

// A wire is the current socket of a connection: nats.go dials through it. It can end
// a blocked dial or write, and it knows whether there is a connection without taking
// nats.go's lock, which is held during a dial.
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

	canceler transport.WriteCanceler // ends a Request that hangs
}

func newWire(f *Factory) *wire {
	o := &f.options
	w := &wire{dialer: net.Dialer{Timeout: o.dialTimeout}, noDelay: o.noDelay, at: f.Target.At}
	w.canceler.Cut = w.cut
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
	w.socket, w.plug = socket, &plug{HandshakeConn: transport.HandshakeConn{Conn: socket}, wire: w}
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

// cut ends a blocked write.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.socket != nil {
		_ = w.socket.SetWriteDeadline(time.Unix(1, 0))
	}
}

// close ends a blocked dial, handshake or write, and those to come.
func (w *wire) close() {
	w.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
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
	transport.HandshakeConn
	wire *wire
}

// Close also marks the wire as not connected.
func (p *plug) Close() error {
	p.wire.up.Store(false)
	return p.HandshakeConn.Close()
}

// Write closes the socket after an error: half a message may have been written,
// and TLS cannot go on after an error.
func (p *plug) Write(b []byte) (int, error) {
	n, err := p.HandshakeConn.Write(b)
	if err != nil {
		_ = p.Close()
	}
	return n, err
}
