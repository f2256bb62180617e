package requestertest

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/requester"
)

// A Link is a connection under test, with everything that came back over it.
type Link struct {
	requester.Requester
	Replies  chan []byte
	Failures chan Failure
	Reply    func(payload []byte) // takes replies, if it is set before Begin; nil: Replies gets copies
	Acked    func(payload []byte) // takes acknowledgements, if it is set before Begin

	over   atomic.Bool // Teardown has returned without an error
	mu     sync.Mutex
	events []string
}

// A Failure is a message that failed after Request had returned.
type Failure struct {
	Stamp requester.Stamp
	Cause error
}

// NewLink makes a connection, which the end of the test tears down.
func NewLink(t testing.TB, f requester.Factory, number int) *Link {
	t.Helper()
	l := &Link{Replies: make(chan []byte, 100_000), Failures: make(chan Failure, 100_000)}
	made, err := f.New(number, requester.Sink{Reply: l.reply, Acked: l.acked, Failed: l.failed, Event: l.event})
	if err != nil {
		t.Fatal(err)
	}
	l.Requester = made
	t.Cleanup(func() {
		l.End(t)
		if t.Failed() && l.Texts() != "" {
			t.Logf("events of connection %d: %s", number, l.Texts())
		}
	})
	return l
}

func (l *Link) reply(payload []byte) {
	switch {
	case l.over.Load():
		panic("Reply was called after Teardown had returned (see requester.Requester.Teardown)")
	case l.Reply != nil:
		l.Reply(payload)
	default:
		l.Replies <- bytes.Clone(payload)
	}
}

func (l *Link) acked(payload []byte) {
	if l.Acked != nil {
		l.Acked(payload)
	}
}

func (l *Link) failed(payload []byte, cause error) {
	stamp, _ := requester.ReadStamp(payload)
	l.Failures <- Failure{stamp, cause}
}

func (l *Link) event(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, text)
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
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := l.Teardown(ctx)
	l.over.Store(err == nil)
	return err
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
	case <-time.After(patience):
		t.Fatalf("no reply within %v: is Reply called, and was the subscription active when Setup returned? (see requester.Requester.Setup)", patience)
	}
	return nil
}

// Want waits for the next reply and compares it.
func (l *Link) Want(t testing.TB, payload []byte) {
	t.Helper()
	if got := l.Next(t); !bytes.Equal(got, payload) {
		t.Fatalf("%d B were sent, and a reply of %d B that differs came: a message comes back byte for byte, once, on its own connection, and the requester does not keep payload after Request has returned (see requester, Bytes)", len(payload), len(got))
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
	case <-time.After(patience):
		t.Fatal("no failure was reported")
		return Failure{}
	}
}

// Events returns the texts of the connection's events.
func (l *Link) Events() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// Texts returns the events in one line.
func (l *Link) Texts() string { return strings.Join(l.Events(), "; ") }

// WantEvents waits until there is an event with each of parts.
func (l *Link) WantEvents(t testing.TB, parts ...string) {
	t.Helper()
	for _, part := range parts {
		Until(t, "the event "+part, func() bool { return strings.Contains(l.Texts(), part) })
	}
}

// Drain forgets the replies to everything that was sent so far, and the failures: a request
// may be taken before the connection is known to be lost.
func (l *Link) Drain(t testing.TB) {
	t.Helper()
	last := Payload(9, 99, 77)
	l.Send(t, last)
	for {
		select {
		case got := <-l.Replies:
			if len(got) == len(last) {
				for len(l.Failures) > 0 {
					<-l.Failures
				}
				return
			}
		case <-time.After(patience):
			t.Fatalf("no reply; events %v", l.Events())
		}
	}
}

// Payload returns size bytes that begin with a stamp.
func Payload(conn uint32, seq uint64, size int) []byte {
	p := bytes.Repeat([]byte{byte(seq), byte(seq >> 8), 0xA5}, size/3+1)[:size]
	requester.Stamp{Run: 1, Conn: conn, Seq: seq}.Put(p)
	return p
}

// Until polls until condition holds.
func Until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	poll.Until(t, patience, condition, "not within %v: %s", patience, what)
}

// WantError wants err to contain all of parts, in one line.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one that says %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error of several lines: %q", err)
	}
}
