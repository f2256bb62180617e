package brokertest

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// CutsComeBack cuts a connection through a relay three times, and wants it to come back each
// time, and to say so once.
func CutsComeBack(t *testing.T, l *requestertest.Link, p *relay.Relay) {
	t.Helper()
	var outage []byte // the message that was sent in the last outage: its reply may come after those of later ones
	for round := range uint64(3) {
		payload := requestertest.Payload(0, 2*round, 1024)
		l.Send(t, payload)
		for got := l.Next(t); !bytes.Equal(got, payload); got = l.Next(t) {
			if !bytes.Equal(got, outage) {
				t.Fatalf("a reply of %d B that was not sent", len(got))
			}
		}
		p.Cut(false)
		outage = requestertest.Payload(0, 2*round+1, 1024)
		requestertest.Until(t, "back", func() bool {
			return l.Request(t.Context(), outage) == nil && strings.Count(l.Texts(), "reconnected") == int(round)+1
		})
		l.Drain(t)
	}
	l.WantEvents(t, "disconnected", "reconnected after")
}

// CutOff loses the connection through a relay that lets no other through, and waits for the
// event.
func CutOff(t testing.TB, l *requestertest.Link, p *relay.Relay, event string) {
	t.Helper()
	p.Refuse(true)
	p.Cut(false)
	l.WantEvents(t, event)
}

// RequestFailsWhileDisconnected wants a connection to try again and again while its relay
// refuses it, with few events, and requests to fail meanwhile. target is what their error must
// say of it.
func RequestFailsWhileDisconnected(t *testing.T, l *requestertest.Link, p *relay.Relay, target string) {
	t.Helper()
	p.Refuse(true)
	p.Cut(false)
	tries := p.Accepted()
	requestertest.Until(t, "a few attempts", func() bool { return p.Accepted() > tries+20 })
	if events := l.Events(); len(events) > 6 {
		t.Errorf("an event for each attempt: %v", events)
	}
	WantError(t, l.Request(t.Context(), requestertest.Payload(0, 0, 100)), target, "publishing", "shaking hands")
	p.Refuse(false)
	l.WantEvents(t, "reconnected after")
	l.RoundTrip(t, requestertest.Payload(0, 1, 100))
}

// OutagesLeaveNoGoroutines cuts connections through a relay, and wants none of their
// goroutines to be left when they have come back and ended.
func OutagesLeaveNoGoroutines(t *testing.T, f requester.Factory, p *relay.Relay) {
	t.Helper()
	idle := runtime.NumGoroutine()
	for range 3 {
		l := requestertest.Connect(t, f, 0)
		p.Cut(false)
		l.WantEvents(t, "reconnected after")
		l.End(t)
	}
	requestertest.NoGoroutines(t, idle)
}

// ASilentBrokerIsGivenUp freezes the broker behind a relay, and wants the connection to be lost
// and to come back.
func ASilentBrokerIsGivenUp(t *testing.T, l *requestertest.Link, p *relay.Relay) {
	t.Helper()
	p.Set(relay.State{Deaf: true, Mute: true})
	l.WantEvents(t, "disconnected")
	p.Set(relay.State{})
	l.WantEvents(t, "reconnected after")
	l.Drain(t)
}

// AnIdleBrokerIsNot says nothing for a while, and wants the connection to be there still. One
// that is lost is tried again, twice: a process without CPU for a while does not keep it alive.
func AnIdleBrokerIsNot(t *testing.T, f requester.Factory, idle time.Duration) {
	t.Helper()
	events := ""
	for number := range 3 {
		l := requestertest.Connect(t, f, number)
		time.Sleep(idle)
		_ = l.Request(t.Context(), requestertest.Payload(uint32(number), 0, 100))
		if events = l.Texts(); events == "" {
			l.Want(t, requestertest.Payload(uint32(number), 0, 100))
			return
		}
	}
	t.Errorf("events %s", events)
}

// ContextEndsASetupThatHangs wants Setup to end with its context when the broker behind the
// relay has said so many bytes on each connection, and nothing after them.
func ContextEndsASetupThatHangs(t *testing.T, f requester.Factory, p *relay.Relay, said ...int64) {
	t.Helper()
	for number, bytes := range said {
		p.Pass(relay.SilentAfter(bytes))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		begun := time.Now()
		err := requestertest.NewLink(t, f, number).Setup(ctx)
		cancel()
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 4*time.Second {
			t.Errorf("after %d B: %v after %v", bytes, err, took)
		}
		p.Pass(nil)
	}
}

// TeardownWhileTheBrokerIsDown expects a connection through a relay that leaves nothing in the
// broker.
func TeardownWhileTheBrokerIsDown(t *testing.T, l *requestertest.Link, p *relay.Relay) {
	t.Helper()
	CutOff(t, l, p, "reconnecting")
	if err := l.TryEnd(); err != nil {
		t.Error(err)
	}
	WantError(t, l.Request(t.Context(), requestertest.Payload(0, 0, 100)), "torn down")
}
