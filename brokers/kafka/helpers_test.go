package kafka

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// patience is how long anything may take before a test gives up on it.
const patience = 30 * time.Second

// newRun returns a run's name that no other test has.
func newRun() string { return fmt.Sprintf("test-%x", time.Now().UnixNano()) }

// open returns a factory for the target, with the options added to its URL.
func open(t testing.TB, url, options string) *Factory {
	t.Helper()
	if options != "" {
		separator := "?"
		if strings.Contains(url, "?") {
			separator = "&"
		}
		url += separator + options
	}
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

// connect makes and sets up a connection, which ends with the test.
func connect(t testing.TB, f *Factory, number int) *link {
	t.Helper()
	l := newLink(t, f, number)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := l.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	return l
}

// newLink makes a connection, which the end of the test tears down.
func newLink(t testing.TB, f *Factory, number int) *link {
	t.Helper()
	l := &link{replies: make(chan []byte, 10_000), failures: make(chan error, 10_000)}
	made, err := f.New(number, func(p []byte) { l.replies <- bytes.Clone(p) })
	if err != nil {
		t.Fatal(err)
	}
	l.conn = made.(*conn)
	l.NotifyFailure(func(_ []byte, cause error) { l.failures <- cause })
	t.Cleanup(func() { l.end(t) })
	return l
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

// send issues a request.
func (l *link) send(t testing.TB, payload []byte) {
	t.Helper()
	if err := l.Request(t.Context(), payload); err != nil {
		t.Fatal(err)
	}
}

// next waits for the next reply.
func (l *link) next(t testing.TB) []byte {
	t.Helper()
	select {
	case p := <-l.replies:
		return p
	case cause := <-l.failures:
		t.Fatalf("failed: %v", cause)
	case <-time.After(patience):
		t.Fatalf("no reply; events %v", l.Events())
	}
	return nil
}

// roundTrip sends a payload and wants it back.
func (l *link) roundTrip(t testing.TB, payload []byte) {
	t.Helper()
	l.send(t, payload)
	if got := l.next(t); !bytes.Equal(got, payload) {
		t.Fatalf("sent %d B, got %d B that differ", len(payload), len(got))
	}
}

// topics returns the topics of f's run that the cluster knows.
func topics(t testing.TB, f *Factory) (names []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := f.admin(ctx, func(admin *kadm.Client) error {
		all, err := admin.ListTopics(ctx)
		for _, name := range all.Names() {
			if strings.HasPrefix(name, "brokerbench."+f.run+".") {
				names = append(names, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
