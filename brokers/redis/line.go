package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"
)

// A line is the socket of a publisher or of a subscriber, whichever it is at the
// moment: go-redis dials through it. It offers what go-redis does not: to end a
// dial, a read or a write that is blocked.
type line struct {
	dialer  net.Dialer
	noDelay bool
	tls     *tls.Config // nil: none
	alive   context.Context
	cancel  context.CancelFunc

	mu     sync.Mutex
	socket net.Conn // the last one, TLS included; nil before the first
	raw    net.Conn // the one below it
	failed error    // why the last dial failed; nil if it did not
	closed bool
	ctx    <-chan struct{} // Done of the context that a write obeys
	stop   func() bool     // ends the watch over that context
}

func newLine(f *Factory) *line {
	l := &line{dialer: net.Dialer{Timeout: f.options.dialTimeout}, noDelay: f.options.noDelay, stop: func() bool { return true }}
	if f.encrypted() {
		l.tls, _ = f.options.tls.Config() // checked by Open
		if l.tls.ServerName == "" {
			l.tls.ServerName, _, _ = net.SplitHostPort(f.target.Addrs(defaultPort)[0])
		}
	}
	l.alive, l.cancel = context.WithCancel(context.Background())
	return l
}

// dial is a go-redis Dialer.
func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.dialer.Timeout) // TLS included
	defer cancel()
	defer context.AfterFunc(l.alive, cancel)()
	raw, socket, err := l.open(ctx, network, address)
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
	l.raw, l.socket = raw, socket
	return socket, nil
}

func (l *line) open(ctx context.Context, network, address string) (raw, socket net.Conn, err error) {
	raw, err = l.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, nil, err
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(l.noDelay)
	}
	if l.tls == nil {
		return raw, raw, nil
	}
	secured := tls.Client(raw, l.tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return raw, secured, nil
}

// current returns the last socket, and the one below its TLS, if any.
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

// obey makes writes end when ctx is done. To watch over a context costs an
// allocation, so it is done once for each context, not for each write.
func (l *line) obey(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := ctx.Done()
	if done == l.ctx { // only requests, of which there is one at a time, change it
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	l.ctx = done
	if l.raw != nil && !l.closed {
		_ = l.raw.SetWriteDeadline(time.Time{}) // an earlier context may have cut it off
	}
	l.stop = context.AfterFunc(ctx, func() { l.cut(done) })
	return nil
}

// cut ends a write that is blocked, unless another context came to count.
func (l *line) cut(done <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == done && l.raw != nil {
		_ = l.raw.SetWriteDeadline(time.Unix(1, 0))
	}
}

// close ends whatever is blocked, for good.
func (l *line) close() {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.stop()
	if l.raw != nil { // to close TLS may take 5 s
		_ = l.raw.Close()
	}
}
