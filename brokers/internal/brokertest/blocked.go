package brokertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// jam requests until one blocks, calls blocked, and returns how that ended.
func jam(ctx context.Context, l *Link, blocked func()) error {
	big := Payload(0, 0, 1<<20)
	stuck := time.AfterFunc(time.Hour, blocked)
	defer stuck.Stop()
	for {
		stuck.Reset(300 * time.Millisecond) // 1 MiB into a socket takes 1 ms
		if err := l.Request(ctx, big); err != nil {
			return err
		}
	}
}

// ContextEndsABlockedRequest expects a server that has stopped reading.
func ContextEndsABlockedRequest(t *testing.T, l *Link) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := jam(ctx, l, cancel)
	WantError(t, err, "sending a message", "context canceled while the socket was blocked")
	if !errors.Is(err, context.Canceled) {
		t.Error("the cause is not kept")
	}
	if err := l.Request(ctx, Payload(0, 0, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("the next request: %v", err)
	}
}

// TeardownEndsABlockedRequest expects a server that has stopped reading.
func TeardownEndsABlockedRequest(t *testing.T, l *Link) {
	ended := make(chan struct{})
	if err := jam(t.Context(), l, func() { l.End(t); close(ended) }); err == nil {
		t.Error("no error")
	}
	<-ended
}

// StaysUsableAfterAContext wants the end of one request's context not to matter to
// the next.
func StaysUsableAfterAContext(t *testing.T, l *Link) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := l.Request(ctx, Payload(0, 0, 16)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := l.Request(ctx, Payload(0, 1, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	l.Want(t, Payload(0, 0, 16))
	l.RoundTrip(t, Payload(0, 2, 1000))
	l.RoundTrip(t, Payload(0, 3, 1000))
	if l.Texts() != "" {
		t.Errorf("events %s", l.Texts())
	}
}

// SetupHonoursContext wants Setup to end with its context. url has %s for the
// address of a server that says nothing.
func SetupHonoursContext[F requester.Factory](t *testing.T, open Open[F], url string) {
	l := NewLink(t, Opened(t, open, fmt.Sprintf(url, Greet(t, "")), ""), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := l.Setup(ctx)
	WantFault(t, err, "deadline exceeded", "no answer in time: is it this kind of broker")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("the cause is not kept")
	}
}

// RequestAllocatesNothing expects a server that does not answer, so that nothing
// is received meanwhile.
func RequestAllocatesNothing(t *testing.T, l *Link) {
	ctx, message := t.Context(), Payload(0, 0, 256)
	for range 1 << 12 { // the memory of messages grows first
		if err := l.Request(ctx, message); err != nil {
			t.Fatal(err)
		}
	}
	if got := testing.AllocsPerRun(1000, func() { _ = l.Request(ctx, message) }); got > 0 {
		t.Errorf("%v allocations a request, want none", got)
	}
}
