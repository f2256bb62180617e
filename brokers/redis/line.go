package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/refusal"
)

// A line is the current socket of a publisher or of a subscriber: go-redis dials
// through it. It adds what go-redis does not offer: it can end a blocked dial, read
// or write.
type line struct {
	dialer  net.Dialer
	noDelay bool
	find    func(ctx context.Context) (addr string, err error) // where the server is
	at      func(addr string) string                           // where to dial for that
	tls     *tls.Config                                        // nil: none
	alive   context.Context
	cancel  context.CancelFunc

	mu     sync.Mutex
	socket net.Conn      // the last one, TLS included; nil before the first
	raw    net.Conn      // the same without TLS
	server string        // to which it leads
	left   error         // why it was ended although nothing had failed: see leave
	said   *refusal.Conn // hears why the server refuses it
	failed error         // why the last dial failed; nil if it did not
	closed bool
	ctx    <-chan struct{} // Done of the context that a write obeys
	stop   func() bool     // stops observing that context
}

func newLine(f *Factory) *line {
	l := &line{dialer: net.Dialer{Timeout: f.options.dialTimeout}, noDelay: f.options.noDelay, find: f.find, at: f.target.At, stop: func() bool { return true }}
	if f.encrypted() {
		l.tls, _ = f.options.tls.Config() // checked by Open
	}
	l.alive, l.cancel = context.WithCancel(context.Background())
	return l
}

// dial is a go-redis Dialer. It dials where find says.
func (l *line) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.dialer.Timeout) // TLS included
	defer cancel()
	defer context.AfterFunc(l.alive, cancel)()
	server, err := l.find(ctx)
	var raw, socket net.Conn
	if err == nil {
		raw, socket, err = l.open(ctx, network, server)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
	if err != nil {
		return nil, err
	}
	if l.closed {
		_ = raw.Close()
		return nil, net.ErrClosed
	}
	l.raw, l.socket, l.said = raw, socket, &refusal.Conn{Conn: socket}
	l.server, l.left = server, nil
	return l.said, nil
}

// refused returns what the server said when it refused the connection, which
// go-redis does not read if its own write fails first; nil if it said nothing.
func (l *line) refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if said := l.said.Reason(); strings.Contains(said, errFull) {
		return errors.New(said)
	}
	return nil
}

// errFull is what a server says first that has as many clients as it may have.
const errFull = "max number of clients"

// settled says that the connection is set up.
func (l *line) settled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.Settled()
}

func (l *line) open(ctx context.Context, network, address string) (raw, socket net.Conn, err error) {
	raw, err = l.dialer.DialContext(ctx, network, l.at(address))
	if err != nil {
		return nil, nil, err
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(l.noDelay)
	}
	if l.tls == nil {
		return raw, raw, nil
	}
	config := l.tls.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	secured := tls.Client(raw, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return raw, secured, nil
}

// current returns the last socket, with and without TLS.
func (l *line) current() (socket, raw net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.socket, l.raw
}

// dialError returns why the last dial failed.
func (l *line) dialError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// obey makes writes end when ctx is done. Observing a context costs an allocation,
// so this happens once for each context, not for each write.
func (l *line) obey(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := ctx.Done()
	if done == l.ctx { // only Request changes it, and there is one at a time
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	l.ctx = done
	if l.raw != nil && !l.closed {
		_ = l.raw.SetWriteDeadline(time.Time{}) // an earlier context may have set one
	}
	l.stop = context.AfterFunc(ctx, func() { l.cut(done) })
	return nil
}

// cut ends a blocked write, unless obey has been called with another context.
func (l *line) cut(done <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == done && l.raw != nil {
		_ = l.raw.SetWriteDeadline(time.Unix(1, 0))
	}
}

// close ends a blocked dial, read or write, and those to come.
func (l *line) close() {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.stop()
	if l.raw != nil { // closing TLS may take 5 s
		_ = l.raw.Close()
	}
}
