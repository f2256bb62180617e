package brokertest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

// RequestNeedsSetup wants a request before Setup or after Teardown to fail, and
// Teardown to be safe at any time.
func RequestNeedsSetup(t *testing.T, f requester.Factory) {
	l := NewLink(t, f, 0)
	WantError(t, l.Request(t.Context(), Payload(0, 0, 16)), "not set up")
	l.End(t)
	l.End(t)
	l = Connect(t, f, 1)
	l.End(t)
	l.End(t)
	if err := l.Request(t.Context(), Payload(0, 0, 16)); err == nil {
		t.Error("after Teardown: no error")
	}
}

// TeardownLeavesNothing wants the end of a connection to leave no goroutine, no
// event, and nothing in the broker: gone tells whether that is so.
func TeardownLeavesNothing(t *testing.T, f requester.Factory, gone func(*Link) bool) {
	before := runtime.NumGoroutine()
	for number := range 5 {
		l := Connect(t, f, number)
		l.RoundTrip(t, Payload(uint32(number), 1, 64))
		if gone(l) {
			t.Error("gone before Teardown")
		}
		l.End(t)
		if l.Texts() != "" {
			t.Errorf("an orderly end makes events: %s", l.Texts())
		}
		Until(t, "nothing in the broker", func() bool { return gone(l) })
	}
	NoGoroutines(t, before)
}

// ComesBack ends a broker, waits for the events during, starts it, and waits for
// messages to go through again and for the events after.
func ComesBack(t *testing.T, l *Link, halt, start func(), during, after []string) {
	l.RoundTrip(t, Payload(0, 0, 100))
	halt()
	Until(t, "an error while the server is away", func() bool {
		err := l.Request(t.Context(), Payload(0, 1, 100))
		return err != nil && strings.Contains(err.Error(), "server is away")
	})
	l.WantEvents(t, during...)
	start()
	l.GoesOn(t)
	l.WantEvents(t, after...)
}

// ThereAndBack sends one message over one connection, for examples. The engine in
// requester/load sends them at a rate.
func ThereAndBack(f requester.Factory, message string) (reply string, err error) {
	replies := make(chan string, 1)
	r, err := f.New(0, requester.Replies(func(payload []byte) { replies <- string(payload) }))
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	defer func() { err = errors.Join(err, r.Teardown(ctx)) }()
	if err := r.Setup(ctx); err != nil {
		return "", err
	}
	if err := r.Request(ctx, []byte(message)); err != nil {
		return "", err
	}
	return <-replies, nil
}
