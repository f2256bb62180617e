package relay_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

func TestMuchGoesBothWaysAndEnds(t *testing.T) {
	r := linetest.Relay(t, relay.Options{Backend: linetest.Echo(t)})
	c := linetest.Dial(t, r.Addr())
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
	r := linetest.Relay(t, relay.Options{Backend: linetest.Echo(t)})
	c := linetest.Dial(t, r.Addr())
	c.Say("before")
	c.Hear("before")
	r.Set(relay.State{Deaf: true, Mute: true})
	c.Say("during")
	c.HearNothing()
	other := linetest.Dial(t, r.Addr())
	other.Say("new")
	other.HearNothing()
	r.Set(relay.State{})
	c.Hear("during")
	other.Hear("new")
}

// The node hears what the client says, and the client nothing.
func TestHalfOpen(t *testing.T) {
	r, c, node := accepts(t)
	r.Set(relay.State{Mute: true})
	c.Say("question")
	node.Hear("question")
	node.Say("answer")
	c.HearNothing()
	r.Set(relay.State{})
	c.Hear("answer")
}

func TestSlow(t *testing.T) {
	const delay = 30 * time.Millisecond
	r := linetest.Relay(t, relay.Options{Backend: linetest.Echo(t)})
	c := linetest.Dial(t, r.Addr())
	c.Say("a")
	c.Hear("a")
	r.Set(relay.State{Delay: delay})
	begun := time.Now()
	c.Say("b")
	c.Hear("b")
	if took := time.Since(begun); took < 2*delay {
		t.Errorf("there and back took %v, less than %v", took, 2*delay)
	}
}

// Two seconds' worth of bytes take no less, although two connections share them.
func TestThrottle(t *testing.T) {
	const size = 32 << 10
	r := linetest.Relay(t, relay.Options{Backend: linetest.Echo(t)})
	r.Set(relay.State{Throttle: 4 * size})
	begun, done := time.Now(), make(chan error, 2)
	for range 2 {
		c := linetest.Dial(t, r.Addr())
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
	r := linetest.Relay(t, relay.Options{Backend: l.Addr().String()})
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

// accepts returns a relay, a client of it, and the node's side of its connection.
func accepts(t *testing.T) (r *relay.Relay, c, node linetest.Conn) {
	t.Helper()
	l := linetest.Listen(t)
	r = linetest.Relay(t, relay.Options{Backend: l.Addr().String()})
	c = linetest.Dial(t, r.Addr())
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	node = linetest.Over(t, accepted)
	c.Say("hello") // from now on both directions are read
	node.Hear("hello")
	return r, c, node
}

// Neither end of a connection passes a network that is cut, nor the side of it that is: that
// would be news from the other side.
func TestTheEndOfAConnectionDoesNotPassACut(t *testing.T) {
	for name, state := range map[string]relay.State{"cut": {Deaf: true, Mute: true}, "half open": {Mute: true}} {
		for how, linger := range map[string]int{"reset": 0, "in good order": -1} {
			t.Run(name+", "+how, func(t *testing.T) {
				r, c, node := accepts(t)
				r.Set(state)
				_ = node.SetLinger(linger)
				_ = node.Close()
				c.HearNothing()
				c.Say("is anybody there?") // half open: that reaches a node which is gone
				c.HearNothing()
				c.Say("anybody?")
				c.HearNothing()
				r.Set(relay.State{})
				c.Ends()
			})
		}
	}
	t.Run("of a client", func(t *testing.T) {
		r, c, node := accepts(t)
		r.Set(relay.State{Deaf: true, Mute: true})
		_ = c.SetLinger(0)
		_ = c.Close()
		node.HearNothing()
		r.Set(relay.State{})
		node.Ends()
	})
}

// The end of a connection is as late as what is said.
func TestASlowEnd(t *testing.T) {
	const delay = 30 * time.Millisecond
	r, c, node := accepts(t)
	r.Set(relay.State{Delay: delay})
	begun := time.Now()
	_ = node.Close()
	c.Ends()
	if took := time.Since(begun); took < delay {
		t.Errorf("took %v, less than %v", took, delay)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	if _, err := relay.Listen(relay.Options{Listen: linetest.Echo(t)}); err == nil {
		t.Error("two listen at one port")
	}
}

// Closing ends what hangs.
func TestCloseEndsEverything(t *testing.T) {
	for name, state := range map[string]relay.State{"whole": {}, "cut": {Deaf: true, Mute: true}, "half open": {Mute: true}, "slow": {Delay: time.Hour}} {
		t.Run(name, func(t *testing.T) {
			r := linetest.Relay(t, relay.Options{Backend: linetest.Echo(t)})
			c := linetest.Dial(t, r.Addr())
			c.Say("a")
			c.Hear("a")
			r.Set(state)
			c.Say("b")
			waiting := linetest.Dial(t, r.Addr())
			_ = r.Close()
			for _, one := range []linetest.Conn{c, waiting} {
				_ = one.SetReadDeadline(time.Now().Add(30 * time.Second))
				if _, err := io.ReadAll(one.Reader); os.IsTimeout(err) {
					t.Error("it hangs")
				}
			}
		})
	}
}
