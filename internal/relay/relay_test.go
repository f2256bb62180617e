package relay_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/relay"
)

// echo listens as a node that says what it is told, until the other side ends.
func echo(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
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

// relayTo returns a relay that serves until the end of the test.
func relayTo(t *testing.T, o relay.Options) *relay.Relay {
	t.Helper()
	r, err := relay.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve() }()
	t.Cleanup(func() {
		_ = r.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return r
}

// A client speaks lines.
type client struct {
	*net.TCPConn
	*bufio.Reader
	t *testing.T
}

func dial(t *testing.T, addr string) client {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return client{c.(*net.TCPConn), bufio.NewReader(c), t}
}

func (c client) say(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.TCPConn, line); err != nil {
		c.t.Fatal(err)
	}
}

func (c client) hear(want string) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if got, err := c.ReadString('\n'); got != want+"\n" {
		c.t.Fatalf("heard %q, %v, want %q", got, err, want)
	}
}

// hearNothing waits for a moment in which nothing comes.
func (c client) hearNothing() {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if b, err := c.ReadByte(); !os.IsTimeout(err) {
		c.t.Fatalf("heard %q, %v", b, err)
	}
}

func TestMuchGoesBothWaysAndEnds(t *testing.T) {
	r := relayTo(t, relay.Options{Backend: echo(t)})
	c := dial(t, r.Addr())
	sent := make([]byte, 9<<20) // more than is on its way at once
	_, _ = rand.Read(sent)
	go func() {
		_, _ = c.Write(sent)
		_ = c.CloseWrite()
	}()
	if got, err := io.ReadAll(c.Reader); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d of %d B came back, %v", len(got), len(sent), err)
	}
}

// What is said while the network is cut comes when it is whole again, as TCP would send it
// again, and a new connection waits.
func TestCut(t *testing.T) {
	r := relayTo(t, relay.Options{Backend: echo(t)})
	c := dial(t, r.Addr())
	c.say("before")
	c.hear("before")
	r.Set(relay.State{Deaf: true, Mute: true})
	c.say("during")
	c.hearNothing()
	other := dial(t, r.Addr())
	other.say("new")
	other.hearNothing()
	r.Set(relay.State{})
	c.hear("during")
	other.hear("new")
}

// The node hears what the client says, and the client nothing.
func TestHalfOpen(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := relayTo(t, relay.Options{Backend: l.Addr().String()})
	c := dial(t, r.Addr())
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	node := client{accepted.(*net.TCPConn), bufio.NewReader(accepted), t}
	r.Set(relay.State{Mute: true})
	c.say("question")
	node.hear("question")
	node.say("answer")
	c.hearNothing()
	r.Set(relay.State{})
	c.hear("answer")
}

func TestSlow(t *testing.T) {
	const delay = 30 * time.Millisecond
	r := relayTo(t, relay.Options{Backend: echo(t)})
	c := dial(t, r.Addr())
	c.say("a")
	c.hear("a")
	r.Set(relay.State{Delay: delay})
	begun := time.Now()
	c.say("b")
	c.hear("b")
	if took := time.Since(begun); took < 2*delay {
		t.Errorf("there and back took %v, less than %v", took, 2*delay)
	}
}

// Two seconds' worth of bytes take no less, although two connections share them.
func TestThrottle(t *testing.T) {
	const size = 32 << 10
	r := relayTo(t, relay.Options{Backend: echo(t)})
	r.Set(relay.State{Throttle: 4 * size})
	begun, done := time.Now(), make(chan error, 2)
	for range 2 {
		c := dial(t, r.Addr())
		go func() {
			_, err := c.Write(make([]byte, size))
			if err == nil {
				_, err = io.ReadFull(c.Reader, make([]byte, size))
			}
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begun); took < 500*time.Millisecond {
		t.Errorf("took %v", took)
	}
}

// A node that is away is told by a reset, as without a relay.
func TestANodeThatIsAway(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	r := relayTo(t, relay.Options{Backend: l.Addr().String()})
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.Addr())
	if err != nil {
		return // so soon
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("got %v", err)
	}
}

// A node that dies takes the clients' connections with it, also if the network was cut
// then, once that is over.
func TestANodeThatDies(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := relayTo(t, relay.Options{Backend: l.Addr().String()})
	c := dial(t, r.Addr())
	node, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	r.Set(relay.State{Deaf: true, Mute: true})
	_ = node.(*net.TCPConn).SetLinger(0)
	_ = node.Close()
	r.Set(relay.State{})
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := c.ReadByte(); err == nil || os.IsTimeout(err) {
		t.Errorf("got %v", err)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	if _, err := relay.Listen(relay.Options{Listen: echo(t)}); err == nil {
		t.Error("two listen at one port")
	}
}

// Closing ends what hangs.
func TestCloseEndsEverything(t *testing.T) {
	for name, state := range map[string]relay.State{"whole": {}, "cut": {Deaf: true, Mute: true}, "half open": {Mute: true}, "slow": {Delay: time.Hour}} {
		t.Run(name, func(t *testing.T) {
			r := relayTo(t, relay.Options{Backend: echo(t)})
			c := dial(t, r.Addr())
			c.say("a")
			c.hear("a")
			r.Set(state)
			c.say("b")
			waiting := dial(t, r.Addr())
			_ = r.Close()
			for _, one := range []client{c, waiting} {
				_ = one.SetReadDeadline(time.Now().Add(30 * time.Second))
				if _, err := io.ReadAll(one.Reader); os.IsTimeout(err) {
					t.Error("it hangs")
				}
			}
		})
	}
}
