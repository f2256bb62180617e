package brokertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Jam requests until one blocks, calls blocked, and returns how that ended.
func Jam(ctx context.Context, l *requestertest.Link, blocked func()) error {
	big := requestertest.Payload(0, 0, 1<<20)
	stuck := time.AfterFunc(time.Hour, blocked)
	defer stuck.Stop()
	for {
		stuck.Reset(300 * time.Millisecond) // 1 MiB into a socket takes 1 ms
		if err := l.Request(ctx, big); err != nil {
			return err
		}
	}
}

// TeardownEndsABlockedRequest expects a server that has stopped reading.
func TeardownEndsABlockedRequest(t *testing.T, l *requestertest.Link) {
	ended := make(chan struct{})
	if err := Jam(t.Context(), l, func() { l.End(t); close(ended) }); err == nil {
		t.Error("no error")
	}
	<-ended
}

// StaysUsableAfterAContext wants the end of one request's context not to matter to
// the next.
func StaysUsableAfterAContext(t *testing.T, l *requestertest.Link) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := l.Request(ctx, requestertest.Payload(0, 0, 16)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := l.Request(ctx, requestertest.Payload(0, 1, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	l.Want(t, requestertest.Payload(0, 0, 16))
	l.RoundTrips(t, 1000, 1000)
	if l.Texts() != "" {
		t.Errorf("events %s", l.Texts())
	}
}

// SetupHonoursContext wants Setup to end with its context. url has %s for the
// address of a server that says nothing.
func SetupHonoursContext[F requester.Factory](t *testing.T, open Opener[F], url string) {
	l := requestertest.NewLink(t, Opened(t, open, fmt.Sprintf(url, Greet(t, "")), ""), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := l.Setup(ctx)
	WantFault(t, err, "deadline exceeded", "no answer in time: is it this kind of broker")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("the cause is not kept")
	}
}

// RequestNeedsSetup wants a request before Setup or after Teardown to fail, and
// Teardown to be safe at any time.
func RequestNeedsSetup(t *testing.T, f requester.Factory) {
	l := requestertest.NewLink(t, f, 0)
	WantError(t, l.Request(t.Context(), requestertest.Payload(0, 0, 16)), "not set up")
	l.End(t)
	l.End(t)
	l = requestertest.Connect(t, f, 1)
	l.End(t)
	l.End(t)
	if err := l.Request(t.Context(), requestertest.Payload(0, 0, 16)); err == nil {
		t.Error("after Teardown: no error")
	}
}

// ComesBack ends a broker, waits for the events during, starts it, and waits for
// messages to go through again and for the events after.
func ComesBack(t *testing.T, l *requestertest.Link, halt, start func(), during, after []string) {
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
	halt()
	requestertest.Until(t, "an error while the server is away", func() bool {
		err := l.Request(t.Context(), requestertest.Payload(0, 1, 100))
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
