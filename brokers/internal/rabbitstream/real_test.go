package rabbitstream

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// kinds are the options that change how a message goes.
var kinds = []string{"", "batch-size=100&credit-each=true&credits=10", "batch-size=100&sub-entry-size=10"}

func TestConformance(t *testing.T) {
	brokertest.Kinds(t, kinds, running)
	brokertest.TLS(t, brokertest.Opened(t, Open, brokertest.URL(t, "RABBITMQ_STREAM_TLS"), ""))
}

func TestRoundTrip(t *testing.T) {
	others := []string{"no-delay=false", "checksum=false", "heartbeat=3s", "write-buffer=8192&read-buffer=8192", "max-pending=500", "credits=4", "segment-size=100000&max-length=100000000"}
	brokertest.Each(t, slices.Concat(kinds, others), func(t *testing.T, options string) {
		l := connected(t, running(t, options), 0)
		for seq := range uint64(50) {
			l.RoundTrip(t, requestertest.Payload(0, seq, 1024))
		}
		l.RoundTrips(t, 16, 17, 255, 256, 5<<10, 100_000, 1<<20)
		l.End(t)
		if texts := l.Texts(); texts != "" {
			t.Errorf("events %s", texts)
		}
	})
}

func TestTeardownLeavesNothing(t *testing.T) {
	requestertest.TeardownLeavesNothing(t, running(t, ""), func(l *requestertest.Link) bool {
		c := l.Requester.(*conn)
		return !there(t, c.factory.stream(c.number))
	})
}

func TestRequestNeedsSetup(t *testing.T) { brokertest.RequestNeedsSetup(t, running(t, "")) }

func TestDescribe(t *testing.T) {
	d, err := running(t, "credits=500").Describe(t.Context())
	if err != nil || d.Product != "RabbitMQ" || !strings.Contains(d.Version, ".") || !strings.HasPrefix(d.Client, clientModule+"@v1.") {
		t.Fatalf("%+v, %v", d, err)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"credits": "500", "queue-type": "stream", "batch-size": "1"})
}

// A password, a user and a vhost may have any characters.
func TestVhostIsEscaped(t *testing.T) {
	for _, vhost := range []string{"/", "/%2F"} {
		at := changed(t, func(u *url.URL) { u.Path, u.RawPath = "", "" }) + vhost
		connected(t, brokertest.Opened(t, Open, at, ""), 0).RoundTrips(t, 100)
	}
	at := brokertest.URL(t, "RABBITMQ_STREAM") + "/a%2Fb%20c%3F%25"
	err := requestertest.NewLink(t, brokertest.Opened(t, Open, at, ""), 0).Begin()
	brokertest.WantFault(t, err, `create the vhost "a/b c?%"`)
}

func TestSecondHostIsTriedWhenTheFirstIsDown(t *testing.T) {
	at := changed(t, func(u *url.URL) { u.Host = "127.0.0.1:1," + u.Host })
	connected(t, brokertest.Opened(t, Open, at, ""), 0).RoundTrips(t, 100)
}

func TestAStreamThatExistsIsNotTouched(t *testing.T) {
	f := running(t, "")
	name := f.stream(0)
	do(t, func(env *stream.Environment) error { return env.DeclareStream(name, nil) })
	t.Cleanup(func() { do(t, func(env *stream.Environment) error { return remove(env, name) }) })
	l := requestertest.NewLink(t, f, 0)
	brokertest.WantFault(t, l.Begin(), "creating stream "+name, "exists already", "brokerbench clean")
	l.End(t)
	if !there(t, name) {
		t.Error("the stream of another run was removed")
	}
}

func TestATooLargeMessageFails(t *testing.T) {
	for _, options := range []string{"frame-size=100000", "frame-size=100000&batch-size=10"} {
		l := connected(t, running(t, options), 0)
		err := l.Link.Request(t.Context(), requestertest.Payload(0, 0, 100_000))
		brokertest.WantFault(t, err, "publishing", "stream.frame_max", "frame-size")
		l.WantFailure(t, "Frame Too Large")
		l.RoundTrip(t, requestertest.Payload(0, 1, 99_000))
	}
}

func TestSetupExplains(t *testing.T) {
	with := func(user *url.Userinfo) string { return changed(t, func(u *url.URL) { u.User = user }) }
	host := brokertest.HostOf(t, brokertest.URL(t, "RABBITMQ_STREAM"))
	brokertest.SetupExplains(t, Open, map[string][]string{
		"wrong password": {with(url.UserPassword("guest", brokertest.Secret)), "Authentication Failure", "correct user and password"},
		"wrong TLS":      {"rabbitmq-stream+tls://" + host, "is TLS expected"},
		"no vhost":       {with(url.UserPassword("guest", "guest")) + "/nowhere", "Virtual Host Access Failure", `create the vhost "nowhere"`},
		"nothing there":  {"rabbitmq-stream://u:" + brokertest.Secret + "@" + brokertest.Refusing(t), "connection refused", "nothing listens there", "rabbitmq_stream"},
		"another server": {"rabbitmq-stream://" + brokertest.Greet(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), "shaking hands", "5552"},
		"AMQP":           {"rabbitmq-stream://" + amqpHost(t), "shaking hands", "5552"},
	})
}

// amqpHost returns the address at which the running broker speaks AMQP.
func amqpHost(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(brokertest.URL(t, "RABBITMQ"))
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func TestConnectionsKeepOrder(t *testing.T) { brokertest.KeepsOrder(t, running(t, "")) }

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range kinds {
		brokertest.WantAcknowledges(t, running(t, options), true)
	}
}
