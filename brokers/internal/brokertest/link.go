package brokertest

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A Link is a connection under test, with what came back over it.
type Link struct {
	requester.Requester
	Replies  chan []byte
	Failures chan Failure
}

// A Failure is what a [requester.FailureNotifier] reported.
type Failure struct {
	Stamp requester.Stamp
	Cause error
}

// NewLink makes a connection, which the end of the test tears down.
func NewLink(t testing.TB, f requester.Factory, number int) *Link {
	t.Helper()
	return newLink(t, f, number, nil)
}

// newLink is NewLink with a function that gets the replies; nil: the link keeps them.
func newLink(t testing.TB, f requester.Factory, number int, reply requester.Reply) *Link {
	t.Helper()
	l := &Link{Replies: make(chan []byte, 100_000), Failures: make(chan Failure, 100_000)}
	if reply == nil {
		reply = func(p []byte) { l.Replies <- bytes.Clone(p) }
	}
	made, err := f.New(number, reply)
	if err != nil {
		t.Fatal(err)
	}
	l.Requester = made
	if notifier, ok := made.(requester.FailureNotifier); ok {
		notifier.NotifyFailure(func(p []byte, cause error) {
			stamp, _ := requester.ReadStamp(p)
			l.Failures <- Failure{stamp, cause}
		})
	}
	t.Cleanup(func() {
		l.End(t)
		if t.Failed() {
			t.Logf("events of connection %d: %s", number, l.Texts())
		}
	})
	return l
}

// Connect makes and sets up a connection.
func Connect(t testing.TB, f requester.Factory, number int) *Link {
	t.Helper()
	l := NewLink(t, f, number)
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	return l
}

// Begin sets the connection up.
func (l *Link) Begin() error {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	return l.Setup(ctx)
}

// End tears the connection down. It may be called again.
func (l *Link) End(t testing.TB) {
	t.Helper()
	if err := l.TryEnd(); err != nil {
		t.Error(err)
	}
}

// TryEnd is End where an error is expected.
func (l *Link) TryEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	return l.Teardown(ctx)
}

// Send issues a request.
func (l *Link) Send(t testing.TB, payload []byte) {
	t.Helper()
	if err := l.Request(t.Context(), payload); err != nil {
		t.Fatalf("Request of %d B: %v", len(payload), err)
	}
}

// Next waits for the next reply.
func (l *Link) Next(t testing.TB) []byte {
	t.Helper()
	select {
	case got := <-l.Replies:
		return got
	case failed := <-l.Failures:
		t.Fatalf("message %d failed: %v", failed.Stamp.Seq, failed.Cause)
	case <-time.After(Patience):
		t.Fatal("no reply")
	}
	return nil
}

// Want waits for the next reply and compares it.
func (l *Link) Want(t testing.TB, payload []byte) {
	t.Helper()
	if got := l.Next(t); !bytes.Equal(got, payload) {
		t.Fatalf("want %d B, got %d B that differ", len(payload), len(got))
	}
}

// RoundTrip sends a payload and wants it back.
func (l *Link) RoundTrip(t testing.TB, payload []byte) {
	t.Helper()
	l.Send(t, payload)
	l.Want(t, payload)
}

// RoundTrips does so with a message of each size; by default 16 B, 1 KiB, 1 MiB.
func (l *Link) RoundTrips(t testing.TB, sizes ...int) {
	t.Helper()
	if sizes == nil {
		sizes = []int{16, 1 << 10, 1 << 20}
	}
	for seq, size := range sizes {
		l.RoundTrip(t, Payload(0, uint64(seq), size))
	}
}

// GoesOn wants requests to come back again, after an outage.
func (l *Link) GoesOn(t testing.TB) {
	t.Helper()
	Until(t, "a reply", func() bool {
		_ = l.Request(t.Context(), Payload(0, 2, 100))
		return len(l.Replies) > 0
	})
}

// WantFailure waits for a message that failed, and for its cause to say all parts.
func (l *Link) WantFailure(t testing.TB, parts ...string) Failure {
	t.Helper()
	select {
	case failed := <-l.Failures:
		WantError(t, failed.Cause, parts...)
		return failed
	case <-time.After(Patience):
		t.Fatal("no failure was reported")
		return Failure{}
	}
}

// Events returns the events of the connection.
func (l *Link) Events() []requester.Event { return l.Requester.(requester.Witness).Events() }

// Texts returns the texts of the events, in one line.
func (l *Link) Texts() string {
	var b strings.Builder
	for _, e := range l.Events() {
		b.WriteString(e.Text + "; ")
	}
	return b.String()
}

// WantEvents waits until there is an event with each of parts.
func (l *Link) WantEvents(t testing.TB, parts ...string) {
	t.Helper()
	for _, part := range parts {
		Until(t, "the event "+part, func() bool { return strings.Contains(l.Texts(), part) })
	}
}
