package transport

import (
	"context"
	"net"
	"sync"
)

// A Line dials for a client that connects again by itself, and keeps the current socket. It adds two
// things that such clients lack: it can end a blocked dial, read or write, and it knows why a
// connection was not made. It is safe for concurrent use. [NewLine] makes one.
type Line struct {
	alive  context.Context // ends dials when the line is closed
	cancel context.CancelFunc

	mu        sync.Mutex
	raw       net.Conn       // the last socket, without TLS; nil before the first
	handshake *HandshakeConn // the same with TLS
	failed    error          // why the last dial failed; nil if it did not
	closed    bool
}

// NewLine returns a line without a socket.
func NewLine() *Line {
	l := new(Line)
	l.alive, l.cancel = context.WithCancel(context.Background())
	return l
}

// Dial makes the next socket with open, such as [Dialer.Open].
func (l *Line) Dial(ctx context.Context, open func(ctx context.Context) (raw, socket net.Conn, err error)) (*HandshakeConn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.alive, cancel)()
	raw, socket, err := open(ctx)
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
	l.raw, l.handshake = raw, &HandshakeConn{Conn: socket}
	return l.handshake, nil
}

// Settled records that the connection is set up.
func (l *Line) Settled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handshake.Settled()
}

// Refused returns the reason for which the server refused the connection, which a client does not
// read if its own write fails first (see [HandshakeConn.Reason]), and why the last dial failed.
func (l *Line) Refused() (reason string, failed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.handshake.Reason(), l.failed
}

// Do calls do with the current socket, without TLS, if there is one.
func (l *Line) Do(do func(raw net.Conn)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.raw != nil {
		do(l.raw)
	}
}

// Close ends a blocked dial, and those to come. end is called with the current socket, if there is one.
func (l *Line) Close(end func(raw net.Conn)) {
	l.cancel()
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.Do(end)
}
