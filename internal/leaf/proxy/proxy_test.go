package proxy_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/proxy"
)

// echo returns a proxy in front of a server that says what it is told.
func echo(t *testing.T) *proxy.Proxy {
	t.Helper()
	return proxy.New(t, linetest.Echo(t))
}

// A client speaks to a proxy.
type client struct{ linetest.Conn }

func dial(t *testing.T, p *proxy.Proxy) client {
	t.Helper()
	return client{linetest.Dial(t, p.Addr)}
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
	p := echo(t)
	for _, c := range []struct {
		name  string
		fault func()
		want  string // in the answer to "hello"
	}{
		{"none", func() {}, "hello"},
		{"garbled", func() { p.Pass(proxy.Garble) }, "helLo"},
		{"dropped", func() { p.Pass(proxy.Drop(1)) }, "timeout"},
		{"swallowed", func() { p.Pass(proxy.Swallow) }, "timeout"},
		{"late", func() { p.Pass(proxy.Delay(time.Millisecond)) }, "hello"},
		{"frozen", func() { p.Freeze(true) }, "timeout"},
		{"deaf", func() { p.Deafen(true) }, "timeout"},
		{"cut", p.Cut, "EOF"},
		{"half closed", p.HalfClose, "EOF"},
		{"reset", p.Reset, "reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer p.Heal()
			conn := dial(t, p)
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
	p := echo(t)
	p.Pass(proxy.SilentAfter(2))
	c := dial(t, p)
	c.Say("hello")
	got := make([]byte, 2)
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.ReadFull(c.Reader, got); err != nil || string(got) != "he" {
		t.Errorf("%q, %v", got, err)
	}
	c.HearNothing()
}

func TestADuplicateComesTwice(t *testing.T) {
	p := echo(t)
	p.Pass(proxy.Duplicate)
	c := dial(t, p)
	c.ask("hello", patience)
	if got, err := c.ReadString('\n'); got != "hello\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRefusedConnectionsAreCounted(t *testing.T) {
	p := echo(t)
	p.Refuse(true)
	if got := dial(t, p).ask("hello", patience); !strings.Contains(got, "EOF") && !strings.Contains(got, "reset") {
		t.Errorf("%q", got)
	}
	if p.Accepted() != 1 || p.Open(1) != 0 {
		t.Errorf("%d accepted, %d open", p.Accepted(), p.Open(1))
	}
}
