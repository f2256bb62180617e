package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/nats-io/nats.go"
)

// connect makes a client of one of the servers, which dials through w.
func (f *Factory) connect(ctx context.Context, w *wire, more ...nats.Option) (*nats.Conn, error) {
	return f.connectTo(ctx, f.servers(), w, more...)
}

func (f *Factory) connectTo(ctx context.Context, servers string, w *wire, more ...nats.Option) (*nats.Conn, error) {
	all, err := f.clientOptions()
	if err != nil {
		return nil, f.Explain("reading options", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, f.Explain("connecting", err)
	}
	client, err := nats.Connect(servers, append(append(all, nats.SetCustomDialer(w)), more...)...)
	if err != nil {
		return nil, f.Explain("connecting", target.Because(ctx, err, w.dialError(), w.refused(err)))
	}
	w.connected()
	return client, nil
}

// with calls do with a connection to one of the servers, dialled at, which it opens and closes. Calls
// return their errors: without a handler, nats.go prints them.
func (f *Factory) with(ctx context.Context, servers string, at func(addr string) string, do func(*nats.Conn) error) error {
	w := newWire(f)
	w.at = at
	defer w.close()
	defer context.AfterFunc(ctx, w.close)()
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	client, err := f.connectTo(ctx, servers, w, nats.NoReconnect(), quiet)
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
}

// servers returns the hosts as nats.go wants them, without user and password: its
// errors repeat them.
func (f *Factory) servers() string {
	return "nats://" + strings.Join(f.Target.Addrs(defaultPort), ",nats://")
}

// handlers are what nats.go calls when something happens to a connection, one after
// another.
type handlers struct {
	*transport.ConnLog
	wire    *wire
	refused chan error // takes the first asynchronous error of Setup
}

// theServer is the only thing that a connection can lose.
const theServer = "server"

var errNoReason = errors.New("no reason given")

func (h *handlers) options() []nats.Option {
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			h.Lost(theServer, "disconnected: %v", cmp.Or(err, errNoReason))
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			h.Failed(theServer, "reconnecting: %v", cmp.Or(h.wire.refused(err), err))
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			h.wire.connected()
			h.Back(theServer, "reconnected to %s", nc.ConnectedAddr())
		}),
		nats.ClosedHandler(func(nc *nats.Conn) { h.Note("connection given up: %v", nc.LastError()) }),
		nats.LameDuckModeHandler(func(*nats.Conn) { h.Note("the server is about to shut down (lame duck mode)") }),
		// These errors belong to no call: a missing permission, dropped messages.
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			select {
			case h.refused <- err: // Setup returns it if it is still probing
			default:
			}
			h.Note("%v", err)
		}),
	}
}

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
	w := &wire{dialer: net.Dialer{Timeout: f.options.dialTimeout}, noDelay: f.options.noDelay, at: f.Target.At}
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
	switch {
	case w.socket == nil:
	case w.up.Load(): // nats.go closes it itself: closed here, it would be an outage
		_ = w.socket.SetWriteDeadline(time.Unix(1, 0))
	default:
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
