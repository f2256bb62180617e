package amqp1

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// kinds are the options of queues that confirm.
var kinds = []string{
	"confirm=true", "confirm=true&durable=true", "confirm=true&durable=true&persistent=true&accept=true",
	"confirm=true&durable=true&queue-type=quorum&accept=true&credit=100",
}

func TestConformance(t *testing.T) {
	brokertest.Kinds(t, append([]string{"", "durable=true&accept=true&credit=2"}, kinds...), running)
	brokertest.TLS(t, factory(t, runningURL(t, "RABBITMQ4_TLS"), ""))
}

func TestRoundTrips(t *testing.T) {
	for _, options := range []string{"frame-size=4096", "accept=true&credit=2", "idle-timeout=0"} {
		t.Run(options, func(t *testing.T) { connected(t, running(t, options), 0).RoundTrips(t, 16, 1<<10, 200_000, 1<<20) })
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	for _, options := range []string{"", "durable=true&confirm=true"} {
		requestertest.TeardownLeavesNothing(t, running(t, options), func(l *requestertest.Link) bool {
			c := inside(l)
			return !hasQueue(t, c.factory.Queue(c.Number))
		})
	}
}

func TestSecondHostIsTriedWhenTheFirstIsDown(t *testing.T) {
	url := runningURL(t, "RABBITMQ4")
	l := connected(t, factory(t, strings.Replace(url, brokertest.HostOf(t, url), "127.0.0.1:1,"+brokertest.HostOf(t, url), 1), ""), 0)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
}

func TestEmptyPathIsTheDefaultVhost(t *testing.T) {
	for _, path := range []string{"/", "/%2F"} {
		requestertest.Connect(t, factory(t, runningURL(t, "RABBITMQ4")+path, ""), 0).RoundTrips(t, 100)
	}
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, running(t, "durable=true"))
}

func TestConnectionsKeepOrder(t *testing.T) { brokertest.KeepsOrder(t, running(t, "")) }

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range kinds {
		brokertest.WantAcknowledges(t, running(t, options), true)
	}
	brokertest.WantAcknowledges(t, running(t, ""), false)
}
