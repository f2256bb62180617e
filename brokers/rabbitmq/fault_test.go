package rabbitmq

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

func TestSetupExplains(t *testing.T) {
	url, secured := brokertest.URL(t, "RABBITMQ"), brokertest.URL(t, "RABBITMQ_TLS")
	host, securedHost := hostOf(t, url), hostOf(t, secured)
	tests := []struct {
		name, url string
		says      []string
	}{
		{"broker down", "amqp://u:geheim@127.0.0.1:1", []string{"amqp://u:xxxxx@127.0.0.1:1", "connection refused", "start the broker"}},
		{"wrong password", "amqp://guest:geheim@" + host, []string{"amqp://guest:xxxxx@" + host, "username or password not allowed", "correct user and password"}},
		{"wrong user", "amqp://nobody:geheim@" + host, []string{"username or password not allowed"}},
		{"unknown vhost", url + "/nowhere", []string{"NOT_ALLOWED", "nowhere", `create the vhost "nowhere"`}},
		{"unknown host", "amqp://u:geheim@nowhere.invalid", []string{"nowhere.invalid", "correct the host's name"}},
		{"TLS without", "amqp://guest:geheim@" + securedHost, []string{"shaking hands", "is amqp the scheme of this port?"}},
		{"TLS where there is none", "amqps://guest:geheim@" + host, []string{"does not speak TLS", "use the scheme amqp"}},
		{"unknown authority", strings.SplitN(secured, "?", 2)[0], []string{"certificate signed by unknown authority", "tls-ca"}},
		{"wrong password over TLS", withPassword(t, secured, "geheim"), []string{"username or password not allowed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // the broker takes its time to refuse a password
			err := newTester(t, factory(t, tt.url, ""), 0).setup(t)
			wantError(t, err, append(tt.says, "setting up")...)
			var fault *target.Fault
			if !errors.As(err, &fault) || fault.Remedy == "" {
				t.Errorf("no remedy in %q", err)
			}
		})
	}
}

func TestQueueOfAnotherRun(t *testing.T) {
	l := connected(t, running(t, ""), 0)
	wantError(t, newTester(t, l.factory, 0).setup(t), "RESOURCE_LOCKED", "another run has this name")
}

// The broker takes 128 MiB by default, RabbitMQ 4 takes 16 MiB.
func TestMessageThatIsTooLarge(t *testing.T) {
	for _, options := range []string{"", "confirm=true"} {
		l := connected(t, running(t, options), 0)
		l.roundTrip(t, brokertest.Payload(0, 0, 100))
		huge := brokertest.Payload(0, 1, 128<<20+1)
		l.send(t, huge)
		f := l.wantFailure(t)
		if f.stamp.Seq != 1 {
			t.Errorf("op %d failed, want 1", f.stamp.Seq)
		}
		says := []string{"amqp://", "publishing", "PRECONDITION_FAILED", "larger than", "raise max_message_size"}
		wantError(t, f.cause, says...)
		wantError(t, l.Request(t.Context(), huge), says...)
		poll(t, "channel open again", func() bool { return l.publisher.Load() != nil })
		l.roundTrip(t, brokertest.Payload(0, 2, 100))
		l.wantEvent(t, "the channel was closed")
		if l.hasEvent("disconnected") {
			t.Errorf("events %v, want the connection kept", l.Events())
		}
	}
}

func TestMessageThatReachesNoQueueHasFailed(t *testing.T) {
	l := connected(t, running(t, ""), 0)
	l.publisher.Load().key = "nowhere"
	l.send(t, brokertest.Payload(3, 4, 100))
	f := l.wantFailure(t)
	if want := (requester.Stamp{Run: 1, Conn: 3, Seq: 4}); f.stamp != want {
		t.Errorf("%+v failed, want %+v", f.stamp, want)
	}
	wantError(t, f.cause, "NO_ROUTE")
}

// A queue of one message that waits and one that is not acknowledged refuses the
// third, as long as the first reply has not returned.
func TestMessageThatIsNotConfirmedHasFailed(t *testing.T) {
	l := newTester(t, running(t, "confirm=true&prefetch=1&max-length=1"), 0)
	release := make(chan struct{})
	l.reply = func(p []byte) {
		<-release
		l.replies <- bytes.Clone(p)
	}
	if err := l.setup(t); err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(5) {
		l.send(t, brokertest.Payload(0, seq, 100))
	}
	last := l.wantFailure(t)
	for last.stamp.Seq != 4 {
		last = l.wantFailure(t)
	}
	wantError(t, last.cause, "nack")
	close(release)
	l.want(t, brokertest.Payload(0, 0, 100))
}

func TestRemedies(t *testing.T) {
	f := factory(t, "amqp://h/v", "")
	for code, says := range map[int]string{
		amqp.NotAllowed: `vhost "v"`, amqp.AccessRefused: "permit", amqp.ResourceLocked: "another run", amqp.NotFound: "deleted",
		amqp.NotImplemented: "too old", amqp.ConnectionForced: "stopped", amqp.PreconditionFailed: "combination of options",
	} {
		err := f.explain("testing", plain(&amqp.Error{Code: code, Reason: "WHY", Server: true}))
		wantError(t, err, "amqp://h/v: testing: WHY (", says)
	}
	if f.explain("testing", nil) != nil {
		t.Error("explain(nil) is not nil")
	}
	wantError(t, f.explain("testing", lost(nil)), "the connection was closed")
}

func TestSizeLimit(t *testing.T) {
	tests := []struct {
		code   int
		reason string
		want   int
	}{
		{amqp.PreconditionFailed, "PRECONDITION_FAILED - message size 134217729 is larger than configured max size 134217728", 134217728},
		{amqp.PreconditionFailed, "PRECONDITION_FAILED - message size 20 larger than max size 10", 10},
		{amqp.PreconditionFailed, "PRECONDITION_FAILED - unknown delivery tag 1", 0},
		{amqp.NotFound, "message size 20 larger than max size 10", 0},
	}
	for _, tt := range tests {
		if got := sizeLimit(&amqp.Error{Code: tt.code, Reason: tt.reason}); got != tt.want {
			t.Errorf("sizeLimit(%d %s) = %d, want %d", tt.code, tt.reason, got, tt.want)
		}
	}
	if sizeLimit(nil) != 0 {
		t.Error("sizeLimit(nil) is not 0")
	}
}
