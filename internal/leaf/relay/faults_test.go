package relay_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// echo returns a relay in front of a server that says what it is told.
func echo(t *testing.T) *relay.Relay {
	t.Helper()
	return linetest.Relay(t, relay.Options{Backend: linetest.Echo(t)})
}

// A client speaks to a relay.
type client struct{ linetest.Conn }

func dial(t *testing.T, r *relay.Relay) client {
	t.Helper()
	return client{linetest.Dial(t, r.Addr())}
}

// How long an answer may take that is to come, and for how long one is awaited that is not.
const (
	patience = 30 * time.Second
	moment   = 200 * time.Millisecond
)

// ask says a line and returns what comes soon until the end of a line, or the error.
func (c client) ask(text string, within time.Duration) string {
	_ = c.SetDeadline(time.Now().Add(within))
	if _, err := io.WriteString(c.TCPConn, text+"\n"); err != nil {
		return err.Error()
	}
	got, err := c.ReadString('\n')
	if err != nil {
		return got + err.Error()
	}
	return strings.TrimSpace(got)
}

func TestFaults(t *testing.T) {
	r := echo(t)
	for _, c := range []struct {
		name  string
		fault func()
		want  string // in the answer to "hello"
	}{
		{"none", func() {}, "hello"},
		{"swallowed", func() { r.Pass(relay.Swallow) }, "timeout"},
		{"cut", func() { r.Cut(false) }, "EOF"},
		{"half closed", r.HalfClose, "EOF"},
		{"reset", func() { r.Cut(true) }, "reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer r.Pass(nil)
			conn := dial(t, r)
			if got := conn.ask("first", patience); got != "first" {
				t.Fatalf("%q", got)
			}
			c.fault()
			within := patience
			if c.want == "timeout" {
				within = moment
			}
			if got := conn.ask("hello", within); !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestSilentAfterTheFirstBytes(t *testing.T) {
	r := echo(t)
	r.Pass(relay.SilentAfter(2))
	c := dial(t, r)
	c.Say("hello")
	got := make([]byte, 2)
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.ReadFull(c.Reader, got); err != nil || string(got) != "he" {
		t.Errorf("%q, %v", got, err)
	}
	c.HearNothing()
}

func TestADuplicateComesTwice(t *testing.T) {
	r := echo(t)
	r.Pass(func(piece relay.Piece) []byte {
		if piece.Up {
			return piece.Bytes
		}
		return append(piece.Bytes, piece.Bytes...)
	})
	c := dial(t, r)
	c.ask("hello", patience)
	if got, err := c.ReadString('\n'); got != "hello\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRefusedConnectionsAreCounted(t *testing.T) {
	r := echo(t)
	r.Refuse(true)
	if got := dial(t, r).ask("hello", patience); !strings.Contains(got, "EOF") && !strings.Contains(got, "reset") {
		t.Errorf("%q", got)
	}
	if r.Accepted() != 1 || r.Open(1) != 0 {
		t.Errorf("%d accepted, %d open", r.Accepted(), r.Open(1))
	}
}
