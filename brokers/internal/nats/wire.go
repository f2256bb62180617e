package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/nats-io/nats.go"
)

// connect makes a client of one of the servers, which dials through w. They are named without user and
// password: nats.go's errors repeat them.
func (f *Factory) connect(ctx context.Context, w *wire, more ...nats.Option) (*nats.Conn, error) {
	all, err := f.clientOptions()
	if err != nil {
		return nil, f.Explain("reading options", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, f.Explain("connecting", err)
	}
	client, err := nats.Connect("nats://"+strings.Join(w.dialer.Target.Addrs(defaultPort), ",nats://"), append(append(all, nats.SetCustomDialer(w)), more...)...)
	if err != nil {
		_, failed := w.Refused() // nats.go swallows a refusal
		return nil, f.Explain("connecting", target.Because(ctx, err, failed, w.refused(err)))
	}
	w.connected()
	return client, nil
}

// with calls do with a connection to one of the servers of a target, which it opens and closes. Calls
// return their errors: without a handler, nats.go prints them.
func (f *Factory) with(ctx context.Context, to target.Target, do func(*nats.Conn) error) error {
	w := newWire(f, to)
	defer w.close()
	defer context.AfterFunc(ctx, w.close)()
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	client, err := f.connect(ctx, w, nats.NoReconnect(), quiet)
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
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
	*transport.Line

	dialer  transport.Dialer
	timeout time.Duration // of a dial
	up      atomic.Bool   // the client is connected, as far as we know

	canceler transport.WriteCanceler // ends a Request that hangs
}

func newWire(f *Factory, to target.Target) *wire {
	w := &wire{Line: transport.NewLine(), dialer: transport.Dialer{Target: to, NoDelay: f.options.noDelay}, timeout: f.options.dialTimeout}
	w.canceler.Cut = func() { w.Do(endWrite) }
	return w
}

// endWrite ends a blocked write.
func endWrite(socket net.Conn) { _ = socket.SetWriteDeadline(time.Unix(1, 0)) }

// Dial implements nats.CustomDialer.
func (w *wire) Dial(_, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), w.timeout)
	defer cancel()
	socket, err := w.Line.Dial(ctx, func(ctx context.Context) (raw, socket net.Conn, err error) { return w.dialer.Open(ctx, address) })
	if err != nil {
		return nil, err
	}
	return &plug{socket, w}, nil
}

// connected says that the client is connected.
func (w *wire) connected() {
	w.up.Store(true)
	w.Settled()
}

// refused returns what the server said when it refused the connection, which
// nats.go does not read if its own write fails first, or if it begins TLS; nil if
// it said nothing, or nats.go's err says it already.
func (w *wire) refused(err error) error {
	reason, _ := w.Refused()
	said := strings.ToLower(strings.Trim(strings.TrimPrefix(reason, "ERR "), "'"))
	if said == "" || strings.Contains(strings.ToLower(err.Error()), said) {
		return nil
	}
	return fmt.Errorf("the server said: %s", said)
}

// close ends a blocked dial, handshake or write, and those to come.
func (w *wire) close() {
	w.Close(func(socket net.Conn) {
		if w.up.Load() { // nats.go closes it itself: closed here, it would be an outage
			endWrite(socket)
		} else {
			_ = socket.Close()
		}
	})
}

// A plug is the socket that a wire hands to nats.go.
type plug struct {
	*transport.HandshakeConn
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
