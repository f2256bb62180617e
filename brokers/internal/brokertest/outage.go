package brokertest

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/proxy"
	"github.com/brokerbench/brokerbench/requester"
)

// Drain forgets the replies to everything that was sent so far.
func (l *Link) Drain(t testing.TB) {
	t.Helper()
	last := Payload(9, 99, 77)
	l.Send(t, last)
	for {
		select {
		case got := <-l.Replies:
			if len(got) == len(last) {
				return
			}
		case <-time.After(Patience):
			t.Fatalf("no reply; events %v", l.Events())
		}
	}
}

// CutsComeBack cuts a connection through a proxy three times, and wants it to come back each
// time, and to say so once.
func CutsComeBack(t *testing.T, l *Link, p *proxy.Proxy) {
	t.Helper()
	for round := range uint64(3) {
		l.RoundTrip(t, Payload(0, 2*round, 1024))
		p.Cut()
		Until(t, "back", func() bool {
			return l.Request(t.Context(), Payload(0, 2*round+1, 1024)) == nil && strings.Count(l.Texts(), "reconnected") == int(round)+1
		})
		l.Drain(t)
	}
	l.WantEvents(t, "disconnected", "reconnected after")
}

// RequestFailsWhileDisconnected wants a connection to try again and again while its proxy
// refuses it, with few events, and requests to fail meanwhile.
func RequestFailsWhileDisconnected(t *testing.T, l *Link, p *proxy.Proxy) {
	t.Helper()
	p.Refuse(true)
	p.Cut()
	tries := p.Accepted()
	Until(t, "a few attempts", func() bool { return p.Accepted() > tries+20 })
	if events := l.Events(); len(events) > 6 {
		t.Errorf("an event for each attempt: %v", events)
	}
	WantError(t, l.Request(t.Context(), Payload(0, 0, 100)), "@"+p.Addr, "publishing", "shaking hands")
	p.Refuse(false)
	l.WantEvents(t, "reconnected after")
	l.RoundTrip(t, Payload(0, 1, 100))
}

// OutagesLeaveNoGoroutines cuts connections through a proxy, and wants none of their
// goroutines to be left when they have come back and ended.
func OutagesLeaveNoGoroutines(t *testing.T, f requester.Factory, p *proxy.Proxy) {
	t.Helper()
	idle := runtime.NumGoroutine()
	for range 3 {
		l := Connect(t, f, 0)
		p.Cut()
		l.WantEvents(t, "reconnected after")
		l.End(t)
	}
	NoGoroutines(t, idle)
}
