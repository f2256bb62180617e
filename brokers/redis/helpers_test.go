package redis

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// patience is how long anything may take before a test gives up on it.
const patience = 30 * time.Second

// newRun returns a run's name that no other test has.
func newRun() string { return fmt.Sprintf("test-%x", time.Now().UnixNano()) }

func openURL(t testing.TB, url string) *Factory {
	t.Helper()
	f, err := Open(url, newRun())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A link is a connection under test, with what came back over it.
type link struct {
	*conn
	replies  chan []byte
	failures chan error
}

// newLink makes a connection, which the end of the test tears down.
func newLink(t testing.TB, f *Factory, number int) *link {
	t.Helper()
	l := &link{replies: make(chan []byte, 100_000), failures: make(chan error, 100_000)}
	made, err := f.New(number, func(p []byte) { l.replies <- bytes.Clone(p) })
	if err != nil {
		t.Fatal(err)
	}
	l.conn = made.(*conn)
	l.NotifyFailure(func(_ []byte, cause error) { l.failures <- cause })
	t.Cleanup(func() { l.end(t) })
	return l
}

// connect makes and sets up a connection.
func connect(t testing.TB, f *Factory, number int) *link {
	t.Helper()
	l := newLink(t, f, number)
	if err := l.setup(); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *link) setup() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return l.Setup(ctx)
}

// end tears the connection down. It may be called again.
func (l *link) end(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.Teardown(ctx); err != nil {
		t.Error(err)
	}
}

// roundTrip sends a payload and wants it back.
func (l *link) roundTrip(t testing.TB, payload []byte) {
	t.Helper()
	if err := l.Request(t.Context(), payload); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-l.replies:
		if !bytes.Equal(got, payload) {
			t.Fatalf("sent %d B, got %d B that differ", len(payload), len(got))
		}
	case cause := <-l.failures:
		t.Fatalf("failed: %v", cause)
	case <-time.After(patience):
		t.Fatalf("no reply to %d B; events %v", len(payload), l.Events())
	}
}

// until polls until condition holds.
func until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// texts returns what l noticed, in one line.
func (l *link) texts() string {
	var b strings.Builder
	for _, e := range l.Events() {
		b.WriteString(e.Text + "; ")
	}
	return b.String()
}

// wantSays wants err to say all of parts, in one line.
func wantSays(t testing.TB, err error, parts ...string) {
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
