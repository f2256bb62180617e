package rabbitmq

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

func TestSetupExplains(t *testing.T) {
	running, secured := brokertest.URL(t, "RABBITMQ"), brokertest.URL(t, "RABBITMQ_TLS")
	host, securedHost := brokertest.HostOf(t, running), brokertest.HostOf(t, secured)
	wrong := brokertest.Changed(t, secured, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "geheim") })
	brokertest.SetupExplains(t, Open, map[string][]string{
		"broker down":             {"amqp://u:geheim@127.0.0.1:1", "setting up", "amqp://u:xxxxx@127.0.0.1:1", "connection refused", "start the broker"},
		"wrong password":          {"amqp://guest:geheim@" + host, "setting up", "amqp://guest:xxxxx@" + host, "username or password not allowed", "correct user and password"},
		"wrong user":              {"amqp://nobody:geheim@" + host, "setting up", "username or password not allowed"},
		"unknown vhost":           {running + "/nowhere", "setting up", "NOT_ALLOWED", "nowhere", `create the vhost "nowhere"`},
		"unknown host":            {"amqp://u:geheim@nowhere.invalid", "setting up", "nowhere.invalid", "correct the host's name"},
		"TLS without":             {"amqp://guest:geheim@" + securedHost, "setting up", "shaking hands", "is amqp the scheme of this port?"},
		"TLS where there is none": {"amqps://guest:geheim@" + host, "setting up", "does not speak TLS", "use the scheme amqp"},
		"unknown authority":       {strings.SplitN(secured, "?", 2)[0], "setting up", "certificate signed by unknown authority", "tls-ca"},
		"wrong password over TLS": {wrong, "setting up", "username or password not allowed"},
	})
}

func TestQueueOfAnotherRun(t *testing.T) {
	l := connected(t, running(t, ""), 0)
	brokertest.WantError(t, requestertest.NewLink(t, l.factory, 0).Begin(), "RESOURCE_LOCKED", "another run has this name")
}

// The broker takes 128 MiB by default, RabbitMQ 4 takes 16 MiB.
func TestMessageThatIsTooLarge(t *testing.T) {
	for _, options := range []string{"", "confirm=true"} {
		l := connected(t, running(t, options), 0)
		l.RoundTrip(t, requestertest.Payload(0, 0, 100))
		huge := requestertest.Payload(0, 1, 128<<20+1)
		l.Send(t, huge)
		f := l.WantFailure(t)
		if f.Stamp.Seq != 1 {
			t.Errorf("op %d failed, want 1", f.Stamp.Seq)
		}
		says := []string{"amqp://", "publishing", "PRECONDITION_FAILED", "larger than", "raise max_message_size"}
		brokertest.WantError(t, f.Cause, says...)
		brokertest.WantError(t, l.Request(t.Context(), huge), says...)
		requestertest.Until(t, "channel open again", func() bool { return l.publisher() != nil })
		l.RoundTrip(t, requestertest.Payload(0, 2, 100))
		l.WantEvents(t, "the channel was closed")
		if strings.Contains(l.Texts(), "disconnected") {
			t.Errorf("events %v, want the connection kept", l.Events())
		}
	}
}

func TestMessageThatReachesNoQueueHasFailed(t *testing.T) {
	l := connected(t, running(t, ""), 0)
	l.publisher().key = "nowhere"
	l.Send(t, requestertest.Payload(3, 4, 100))
	f := l.WantFailure(t)
	if want := (requester.Stamp{Run: 1, Conn: 3, Seq: 4}); f.Stamp != want {
		t.Errorf("%+v failed, want %+v", f.Stamp, want)
	}
	brokertest.WantError(t, f.Cause, "NO_ROUTE")
}

// A queue of one message that waits and one that is not acknowledged refuses the
// third, as long as the first reply has not returned.
func TestMessageThatIsNotConfirmedHasFailed(t *testing.T) {
	l := inside(requestertest.NewLink(t, running(t, "confirm=true&prefetch=1&max-length=1"), 0))
	release := make(chan struct{})
	l.Sink.Reply = func(p []byte) {
		<-release
		l.Replies <- bytes.Clone(p)
	}
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(5) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	last := l.WantFailure(t)
	for last.Stamp.Seq != 4 {
		last = l.WantFailure(t)
	}
	brokertest.WantError(t, last.Cause, "nack")
	close(release)
	l.Want(t, requestertest.Payload(0, 0, 100))
}

func TestRemedies(t *testing.T) {
	f := factory(t, "amqp://h/v", "")
	for code, says := range map[int]string{
		amqp.NotAllowed: `vhost "v"`, amqp.AccessRefused: "permit", amqp.ResourceLocked: "another run", amqp.NotFound: "deleted",
		amqp.NotImplemented: "too old", amqp.ConnectionForced: "stopped", amqp.PreconditionFailed: "combination of options",
	} {
		err := f.explain("testing", plain(&amqp.Error{Code: code, Reason: "WHY", Server: true}))
		brokertest.WantError(t, err, "amqp://h/v: testing: WHY (", says)
	}
	brokertest.WantError(t, f.explain("testing", lost(nil)), "the connection was closed")
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
