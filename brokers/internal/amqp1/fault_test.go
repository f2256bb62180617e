package amqp1

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestSetupExplains(t *testing.T) {
	running, secured := runningURL(t, "RABBITMQ4"), runningURL(t, "RABBITMQ4_TLS")
	host, securedHost := brokertest.HostOf(t, running), brokertest.HostOf(t, secured)
	wrong := brokertest.Changed(t, secured, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "geheim") })
	brokertest.SetupExplains(t, Open, map[string][]string{
		"broker down":             {"amqp1://u:geheim@127.0.0.1:1", "setting up", "amqp1://u:xxxxx@127.0.0.1:1", "connection refused", "start the broker"},
		"wrong password":          {"amqp1://guest:geheim@" + host, "setting up", "amqp1://guest:xxxxx@" + host, "SASL", "correct user and password"},
		"wrong user":              {"amqp1://nobody:geheim@" + host, "setting up", "SASL"},
		"unknown vhost":           {running + "/nowhere", "setting up", "nowhere", `create the vhost "nowhere"`},
		"unknown host":            {"amqp1://u:geheim@nowhere.invalid", "setting up", "nowhere.invalid", "correct the host's name"},
		"TLS without":             {"amqp1://guest:geheim@" + securedHost, "setting up", "shaking hands", "the scheme of this port?"},
		"TLS where there is none": {"amqp1s://guest:geheim@" + host, "setting up", "does not speak TLS", "use the scheme amqp1"},
		"unknown authority":       {strings.SplitN(secured, "?", 2)[0], "setting up", "certificate signed by unknown authority", "tls-ca"},
		"wrong password over TLS": {wrong, "setting up", "SASL", "correct user and password"},
	})
}

// RabbitMQ 3 without its plugin answers as AMQP 0-9-1 does.
func TestABrokerWithoutAMQP1(t *testing.T) {
	address := brokertest.Greet(t, "AMQP\x00\x00\x09\x01")
	brokertest.WantFault(t, requestertest.NewLink(t, factory(t, "amqp1://u:geheim@"+address, ""), 0).Begin(),
		"shaking hands", "needs RabbitMQ 4.0 or later", "with the scheme amqp")
}

func TestTheOldestBroker(t *testing.T) {
	url := strings.Replace(brokertest.URL(t, "RABBITMQ"), "amqp://", "amqp1://", 1)
	brokertest.WantFault(t, requestertest.NewLink(t, factory(t, url, ""), 0).Begin(), "needs RabbitMQ 4.0 or later")
}

func TestAServerThatSaysNothing(t *testing.T) {
	brokertest.SetupHonoursContext(t, Open, "amqp1://%s")
}

func TestAServerThatSaysNonsense(t *testing.T) {
	for _, nonsense := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", strings.Repeat("\xff", 100), "AMQP\x03\x01\x00\x00\xff\xff\xff\xff\x02\x01\x00\x00"} {
		err := requestertest.NewLink(t, factory(t, "amqp1://u:geheim@"+brokertest.Greet(t, nonsense), "idle-timeout=2s"), 0).Setup(timeout(t, 3*time.Second))
		brokertest.WantFault(t, err, "setting up")
	}
}

func timeout(t testing.TB, after time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), after)
	t.Cleanup(cancel)
	return ctx
}

func TestQueueOfAnotherRun(t *testing.T) {
	l := connected(t, running(t, ""), 0)
	brokertest.WantFault(t, requestertest.NewLink(t, l.factory, 0).Begin(), "declaring queue", "another run has this name")
	l = connected(t, running(t, "durable=true"), 0)
	other, err := Open(brokertest.With(runningURL(t, "RABBITMQ4"), "durable=true&max-length=7"), strings.Split(l.factory.Queue(0), ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantFault(t, requestertest.NewLink(t, other, 0).Begin(), "declaring queue", "x-max-length", "combination of options")
}

// RabbitMQ 4 takes 16 MiB.
func TestMessageThatIsTooLarge(t *testing.T) {
	for _, options := range []string{"", "confirm=true"} {
		l := connected(t, running(t, options), 0)
		l.RoundTrip(t, requestertest.Payload(0, 0, 100))
		l.Send(t, requestertest.Payload(0, 1, 16<<20+1))
		f := l.WantFailure(t)
		if f.Stamp.Seq != 1 {
			t.Errorf("op %d failed, want 1", f.Stamp.Seq)
		}
		brokertest.WantError(t, f.Cause, "amqp1://", "publishing", "size", "raise max_message_size")
		l.RoundTrip(t, requestertest.Payload(0, 2, 100))
		if l.Texts() != "" {
			t.Errorf("events %v, want the connection kept", l.Events())
		}
	}
}

// A queue of one message that waits and some that are not accepted refuses more, as long as
// the first reply has not returned.
func TestMessageThatIsRejectedHasFailed(t *testing.T) {
	for _, kind := range []string{"", "&durable=true&queue-type=quorum"} {
		l := inside(requestertest.NewLink(t, running(t, "confirm=true&accept=true&credit=2&max-length=1"+kind), 0))
		released := make(chan struct{})
		release := sync.OnceFunc(func() { close(released) })
		l.Sink.Reply = func(p []byte) {
			<-released
			l.Replies <- bytes.Clone(p)
		}
		t.Cleanup(release)
		if err := l.Begin(); err != nil {
			t.Fatal(err)
		}
		seq := uint64(0)
		requestertest.Until(t, "a failure", func() bool { // a quorum queue takes its time to refuse more
			l.Send(t, requestertest.Payload(0, seq, 100))
			seq++
			return len(l.Failures) > 0
		})
		brokertest.WantError(t, l.WantFailure(t).Cause, "publishing", "rejected the message", "raise max-length")
		release()
		if got := <-l.Replies; !bytes.Equal(got, requestertest.Payload(0, 0, 100)) {
			t.Errorf("%d B came back, and differ", len(got))
		}
	}
}

func TestRemedies(t *testing.T) {
	f := factory(t, "amqp1://h/v", "")
	for condition, says := range map[amqp.ErrCond]string{
		amqp.ErrCondUnauthorizedAccess: "permit", amqp.ErrCondResourceLocked: "another run", amqp.ErrCondNotFound: "deleted",
		amqp.ErrCondResourceDeleted: "deleted", amqp.ErrCondConnectionForced: "stopped", amqp.ErrCondResourceLimitExceeded: "raise",
	} {
		err := f.explain("testing", &amqp.ConnError{RemoteErr: &amqp.Error{Condition: condition, Description: "WHY"}})
		brokertest.WantError(t, err, "amqp1://h/v: testing: WHY ("+string(condition)+") (", says)
	}
	for condition, text := range map[amqp.ErrCond]string{amqp.ErrCondNotFound: "vhost 'v' not found", amqp.ErrCondNotAllowed: "access to vhost 'v' refused"} {
		brokertest.WantError(t, f.explain("testing", &amqp.Error{Condition: condition, Description: text}), `create the vhost "v"`)
	}
	brokertest.WantError(t, f.explain("testing", &statusError{"409", "x"}), "x (status 409)", "combination of options")
	brokertest.WantError(t, f.explain("testing", io.EOF), "the broker closed the connection")
}

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	address, file := brokertest.Expired(t)
	f := brokertest.Opened(t, Open, "amqp1s://"+address+"?tls-ca="+file, "")
	brokertest.WantFault(t, requestertest.NewLink(t, f, 0).Begin(), brokertest.ExpiredSays...)
}

func TestDescribe(t *testing.T) {
	f := running(t, "credit=7")
	d, err := f.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != "RabbitMQ" || !strings.HasPrefix(d.Version, "4.") || !strings.HasPrefix(d.Client, "github.com/Azure/go-amqp") {
		t.Errorf("%+v", d)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"credit": "7", "confirm": "false", "queue-type": "classic"})
}

func TestDescribeExplains(t *testing.T) {
	brokertest.DescribeExplains(t, factory(t, "amqp1://u:geheim@"+brokertest.Refusing(t), ""))
}
