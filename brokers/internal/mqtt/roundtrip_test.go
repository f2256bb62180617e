package mqtt

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// kinds are the options with acknowledgements.
var kinds = []string{"qos=1", "qos=2", "qos=1&audit-session=true", "qos=2&receive-maximum=1"}

func TestConformance(t *testing.T) {
	brokertest.Kinds(t, append([]string{""}, kinds...), running)
	for _, options := range []string{"", "qos=1"} {
		brokertest.TLS(t, factory(t, brokertest.URL(t, "MQTT_TLS"), options))
	}
}

func TestRoundTrips(t *testing.T) {
	for _, options := range []string{"keep-alive=0", "tcp-nodelay=false"} {
		t.Run(options, func(t *testing.T) { connected(t, running(t, options), 0).RoundTrips(t, 16, 1<<10, 200_000, 1<<20) })
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	requestertest.TeardownLeavesNothing(t, running(t, "qos=1&audit-session=true"), func(l *requestertest.Link) bool {
		c := inside(l)
		return !hasSession(t, c.factory, c.number)
	})
}

func TestAFailedSetupLeavesNothing(t *testing.T) {
	f, p := behind(t, "qos=1&audit-session=true")
	p.OnConnect(func(number int) {
		if number == 2 { // the session is made, and nothing else
			p.Refuse(true)
		}
	})
	l := inside(requestertest.NewLink(t, f, 0))
	if err := l.Begin(); err == nil {
		t.Fatal("set up")
	}
	direct := running(t, "")
	direct.Run = f.Run
	if !hasSession(t, direct, 0) || len(l.Left()) != 1 {
		t.Errorf("no session, or it is not said: %v", l.Left())
	}
	if err := l.TryEnd(); err == nil || len(l.Left()) != 1 {
		t.Errorf("not said to be left: %v, %v", err, l.Left())
	}
	p.Refuse(false)
	l.End(t)
	if hasSession(t, direct, 0) || len(l.Left()) > 0 {
		t.Errorf("the session is left: %v", l.Left())
	}
}

func TestSecondHostIsTriedWhenTheFirstIsDown(t *testing.T) {
	url := brokertest.URL(t, "MQTT")
	l := connected(t, factory(t, strings.Replace(url, brokertest.HostOf(t, url), "127.0.0.1:1,"+brokertest.HostOf(t, url), 1), ""), 0)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, running(t, "qos=1"))
}

// More messages than the broker's window come back in their order, and none fails.
func TestAWindowThatIsUsedUp(t *testing.T) {
	for _, options := range []string{"qos=1", "qos=2"} {
		l, p := through(t, options)
		p.Set(relay.State{Deaf: true})
		const n = 3000
		for seq := range uint64(n) {
			l.Send(t, requestertest.Payload(0, seq, 100))
		}
		p.Set(relay.State{})
		for seq := range uint64(n) {
			l.Want(t, requestertest.Payload(0, seq, 100))
		}
	}
}

func TestConnectionsKeepOrder(t *testing.T) { brokertest.KeepsOrder(t, running(t, "")) }

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range kinds {
		brokertest.WantAcknowledges(t, running(t, options), true)
	}
	brokertest.WantAcknowledges(t, running(t, ""), false)
}
