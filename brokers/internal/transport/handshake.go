package transport

import (
	"net"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A HandshakeConn is a socket that keeps the beginning of what the server says, until
// Settled, so that the reason for which a server ends a new connection is known. A server
// that is full says so and closes the connection at once, while the client is still
// writing its first command: the client sees that its write failed, and never reads
// the reason. It is as safe for concurrent use as the socket.
type HandshakeConn struct {
	net.Conn
	settled atomic.Bool

	mu    sync.Mutex
	heard []byte
}

// serverError matches a line of an error: a word in capitals, and printable text.
var serverError = regexp.MustCompile(`^-([A-Z]+ [ -~]+)\r?\n`)

// mostHeard is how much is kept: the greeting of a NATS server takes some 500 B of it.
const mostHeard = 8 << 10

// heardWait is how long to wait for what the server said before a write failed: it
// is in the socket already.
const heardWait = 100 * time.Millisecond

// Settled says that the connection is set up: from now on nothing is kept.
func (c *HandshakeConn) Settled() {
	c.settled.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = nil
}

// Read implements net.Conn.
func (c *HandshakeConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.settled.Load() {
		c.keep(b[:n])
	}
	return n, err
}

// Write implements net.Conn. After an error it reads what the server had said.
func (c *HandshakeConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if err != nil && !c.settled.Load() {
		c.listen()
	}
	return n, err
}

// listen reads until the end of what the server says.
func (c *HandshakeConn) listen() {
	_ = c.SetReadDeadline(time.Now().Add(heardWait))
	last := make([]byte, mostHeard)
	for {
		n, err := c.Conn.Read(last)
		c.keep(last[:n])
		if err != nil {
			return
		}
	}
}

func (c *HandshakeConn) keep(said []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, said[:min(len(said), mostHeard-len(c.heard))]...)
}

// Reason returns the first line that tells of an error, without the dash that it
// begins with, as both NATS and Redis say it: "ERR max number of clients reached".
// It is "" if there is none, or if it is encrypted.
func (c *HandshakeConn) Reason() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range strings.Lines(string(c.heard)) {
		if reason := serverError.FindStringSubmatch(line); reason != nil {
			return reason[1]
		}
	}
	return ""
}
