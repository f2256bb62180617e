// Package refusal hears why a server ends a connection that is being set up. A
// server that is full says so and closes the connection at once, while the client
// is still writing its first command: the client sees that its write failed, and
// never reads what the server had said.
package refusal

import (
	"net"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Conn is a socket that keeps the beginning of what the server says, until
// Settled. It is as safe for concurrent use as the socket.
type Conn struct {
	net.Conn
	settled atomic.Bool

	mu    sync.Mutex
	heard []byte
}

// refusalOf matches a line of an error: a word in capitals, and printable text.
var refusalOf = regexp.MustCompile(`^-([A-Z]+ [ -~]+)\r?\n`)

// most is how much is kept: the greeting of a NATS server takes some 500 B of it.
const most = 8 << 10

// patience is how long to wait for what the server said before a write failed: it
// is in the socket already.
const patience = 100 * time.Millisecond

// Settled says that the connection is set up: from now on nothing is kept.
func (c *Conn) Settled() {
	c.settled.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = nil
}

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.settled.Load() {
		c.keep(b[:n])
	}
	return n, err
}

// Write implements net.Conn. After an error it reads what the server had said.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if err != nil && !c.settled.Load() {
		c.listen()
	}
	return n, err
}

// listen reads until the end of what the server says.
func (c *Conn) listen() {
	_ = c.SetReadDeadline(time.Now().Add(patience))
	last := make([]byte, most)
	for {
		n, err := c.Conn.Read(last)
		c.keep(last[:n])
		if err != nil {
			return
		}
	}
}

func (c *Conn) keep(said []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, said[:min(len(said), most-len(c.heard))]...)
}

// Reason returns the first line that tells of an error, without the dash that it
// begins with, as both NATS and Redis say it: "ERR max number of clients reached".
// It is "" if there is none. What is encrypted is no line.
func (c *Conn) Reason() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range strings.Lines(string(c.heard)) {
		if reason := refusalOf.FindStringSubmatch(line); reason != nil {
			return reason[1]
		}
	}
	return ""
}
