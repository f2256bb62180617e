// Package linetest has both ends of TCP connections, for tests: a server that returns the lines that
// it receives, a client that sends and expects lines, and a relay between them.
package linetest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// patience is how long an expected line may take, and moment how long HearNothing waits.
const (
	patience = 30 * time.Second
	moment   = 50 * time.Millisecond
)

// Echo listens until the end of the test, and returns all bytes to their sender, until that
// ends. It returns its host and port.
func Echo(tb testing.TB) (addr string) {
	tb.Helper()
	l := Listen(tb)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String()
}

// Listen listens at a free port of 127.0.0.1 until the end of the test.
func Listen(tb testing.TB) net.Listener {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	return l
}

// Relay returns a relay that serves until the end of the test.
func Relay(tb testing.TB, o relay.Options) *relay.Relay {
	tb.Helper()
	r, err := relay.Listen(o)
	if err != nil {
		tb.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve() }()
	tb.Cleanup(func() {
		_ = r.Close()
		if err := <-served; err != nil {
			tb.Error(err)
		}
	})
	return r
}

// A Conn sends and expects lines. Anything unexpected ends the test.
type Conn struct {
	*net.TCPConn
	*bufio.Reader // of the connection: all reads go through it

	tb testing.TB
}

// Dial connects for the length of a test.
func Dial(tb testing.TB, addr string) Conn {
	tb.Helper()
	c, err := new(net.Dialer).DialContext(tb.Context(), "tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	return Over(tb, c)
}

// Over returns a Conn over a connection of TCP, which is closed at the end of the test.
func Over(tb testing.TB, c net.Conn) Conn {
	tb.Helper()
	tb.Cleanup(func() { _ = c.Close() })
	return Conn{c.(*net.TCPConn), bufio.NewReader(c), tb}
}

// Say sends a line.
func (c Conn) Say(line string) {
	c.tb.Helper()
	if _, err := fmt.Fprintln(c.TCPConn, line); err != nil {
		c.tb.Fatal(err)
	}
}

// Hear expects a line.
func (c Conn) Hear(want string) {
	c.tb.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if got, err := c.ReadString('\n'); got != want+"\n" {
		c.tb.Fatalf("heard %q, %v, want %q", got, err, want)
	}
}

// HearNothing waits for a moment in which nothing comes.
func (c Conn) HearNothing() {
	c.tb.Helper()
	_ = c.SetReadDeadline(time.Now().Add(moment))
	if b, err := c.ReadByte(); !os.IsTimeout(err) {
		c.tb.Fatalf("heard %q, %v", b, err)
	}
}

// Ends expects the connection to end, cleanly or not, before another byte comes.
func (c Conn) Ends() {
	c.tb.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if b, err := c.ReadByte(); err == nil || os.IsTimeout(err) {
		c.tb.Fatalf("heard %q, %v, want the end", b, err)
	}
}
