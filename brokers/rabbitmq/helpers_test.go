package rabbitmq

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// patience is how long anything may take before a test gives up on it.
const patience = 30 * time.Second

// newRun returns a run's name that no other test has.
func newRun() string { return fmt.Sprintf("test-%x", time.Now().UnixNano()) }

// with adds options to a URL.
func with(rawURL, options string) string {
	switch {
	case options == "":
		return rawURL
	case strings.Contains(rawURL, "?"):
		return rawURL + "&" + options
	}
	return rawURL + "?" + options
}

// at returns a URL with another host.
func at(t testing.TB, rawURL, host string) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = host
	return u.String()
}

// withPassword returns a URL with another password.
func withPassword(t testing.TB, rawURL, password string) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

// hostOf returns the host and port of a URL.
func hostOf(t testing.TB, rawURL string) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// factory returns a factory for a URL, with the options added to it.
func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	f, err := Open(with(rawURL, options), newRun())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// running returns a factory for the running broker.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return factory(t, brokertest.URL(t, "RABBITMQ"), options)
}

// A failure is what a FailureNotifier is told.
type failure struct {
	stamp requester.Stamp
	cause error
}

// A tester is a connection under test, with what came back over it.
type tester struct {
	*conn
	replies  chan []byte
	failures chan failure
}

// newTester makes a connection, which the end of the test tears down.
func newTester(t testing.TB, f *Factory, number int) *tester {
	t.Helper()
	l := &tester{replies: make(chan []byte, 10_000), failures: make(chan failure, 10_000)}
	l.conn = newConn(f, number, func(p []byte) { l.replies <- bytes.Clone(p) })
	l.NotifyFailure(func(p []byte, cause error) {
		stamp, _ := requester.ReadStamp(p)
		l.failures <- failure{stamp, cause}
	})
	t.Cleanup(func() {
		if err := l.end(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// connected makes and sets up a connection.
func connected(t testing.TB, f *Factory, number int) *tester {
	t.Helper()
	l := newTester(t, f, number)
	if err := l.setup(t); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *tester) setup(t testing.TB) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return l.Setup(ctx)
}

// end tears the connection down. It may be called again.
func (l *tester) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return l.Teardown(ctx)
}

func (l *tester) send(t testing.TB, payload []byte) {
	t.Helper()
	if err := l.Request(t.Context(), payload); err != nil {
		t.Fatalf("Request of %d B: %v", len(payload), err)
	}
}

// want waits for a reply.
func (l *tester) want(t testing.TB, payload []byte) {
	t.Helper()
	select {
	case got := <-l.replies:
		if !bytes.Equal(got, payload) {
			t.Fatalf("sent %d B, got %d B that differ", len(payload), len(got))
		}
	case f := <-l.failures:
		t.Fatalf("op %d failed: %v", f.stamp.Seq, f.cause)
	case <-time.After(patience):
		t.Fatalf("no reply to %d B; events %v", len(payload), l.Events())
	}
}

func (l *tester) roundTrip(t testing.TB, payload []byte) {
	t.Helper()
	l.send(t, payload)
	l.want(t, payload)
}

// wantFailure waits for a failure.
func (l *tester) wantFailure(t testing.TB) failure {
	t.Helper()
	select {
	case f := <-l.failures:
		return f
	case <-time.After(patience):
		t.Fatalf("no failure was told; events %v", l.Events())
		return failure{}
	}
}

// wantEvent waits for an event whose text contains part.
func (l *tester) wantEvent(t testing.TB, part string) {
	t.Helper()
	poll(t, "the event "+part, func() bool { return l.hasEvent(part) })
}

func (l *tester) hasEvent(part string) bool {
	for _, e := range l.Events() {
		if strings.Contains(e.Text, part) {
			return true
		}
	}
	return false
}

// poll waits until done returns true.
func poll(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(time.Millisecond); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// admin calls do with a channel of its own to the broker, and returns do's error.
func admin(t testing.TB, do func(*amqp.Channel) error) error {
	t.Helper()
	s, err := running(t, "").dial(t.Context(), 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	channel, err := s.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return do(channel)
}

// hasQueue asks the broker for a queue. A queue that is locked is there.
func hasQueue(t testing.TB, name string) bool {
	t.Helper()
	err := admin(t, func(channel *amqp.Channel) error {
		_, err := channel.QueueDeclarePassive(name, false, false, false, false, nil)
		return err
	})
	var cause *amqp.Error
	if err != nil && (!errors.As(err, &cause) || cause.Code != amqp.NotFound && cause.Code != amqp.ResourceLocked) {
		t.Fatal(err)
	}
	return cause == nil || cause.Code != amqp.NotFound
}

// hasExchange asks the broker for an exchange.
func hasExchange(t testing.TB, name string) bool {
	t.Helper()
	err := admin(t, func(channel *amqp.Channel) error {
		return channel.ExchangeDeclarePassive(name, "direct", false, true, false, false, nil)
	})
	var cause *amqp.Error
	if err != nil && (!errors.As(err, &cause) || cause.Code != amqp.NotFound) {
		t.Fatal(err)
	}
	return cause == nil
}

// wantError checks that an error says every one of parts, in one line, and not
// the password.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has several lines", err)
	}
	if strings.Contains(err.Error(), "geheim") {
		t.Errorf("error %q tells the password", err)
	}
}
