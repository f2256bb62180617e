package rabbitmq

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConformance(t *testing.T) {
	brokertest.Kinds(t, slices.Concat([]string{"", "separate-connections=true&confirm=true&prefetch=100"}, kinds), running)
	brokertest.TLS(t, factory(t, brokertest.URL(t, "RABBITMQ_TLS"), ""))
}

func TestRoundTrip(t *testing.T) {
	requestertest.Connect(t, running(t, ""), 0).RoundTrips(t, 16, 17, 1<<10, 4<<10, 128<<10, 1<<20)
}

// combinations returns every combination of the options that change how a
// message goes, as far as they go together.
func combinations() (all []string) {
	for _, queue := range []string{
		"", "durable=true", "durable=true&persistent=true",
		"durable=true&queue-type=quorum", "durable=true&persistent=true&queue-type=quorum",
	} {
		for i := range 16 {
			all = append(all, fmt.Sprintf("%s&confirm=%t&prefetch=%d&exchange=%s&separate-connections=%t",
				queue, i&1 > 0, i&2*5, []string{"default", "topic"}[i>>2&1], i&8 > 0))
		}
	}
	return append(all, "exchange=direct", "exchange=fanout", "mandatory=false", "max-length=10&confirm=true",
		"heartbeat=0", "heartbeat=1s", "frame-size=4096", "prefetch=1", "prefetch=65535", "reconnect-wait=1s")
}

func TestEveryCombinationOfOptions(t *testing.T) {
	for _, options := range combinations() {
		options = strings.TrimPrefix(options, "&")
		t.Run(options, func(t *testing.T) {
			l := connected(t, running(t, options), 0)
			for seq := range uint64(5) {
				l.RoundTrip(t, requestertest.Payload(0, seq, 1024))
			}
			l.RoundTrip(t, requestertest.Payload(0, 5, 200_000))
			queue := l.factory.Queue(0)
			if !hasQueue(t, queue) {
				t.Errorf("there is no queue %s", queue)
			}
			l.End(t)
			requestertest.Until(t, "queue gone", func() bool { return !hasQueue(t, queue) })
			requestertest.Until(t, "exchange gone", func() bool { return !hasExchange(t, queue) })
			if events := l.Events(); len(events) > 0 {
				t.Errorf("events %v, want none", events)
			}
		})
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	requestertest.TeardownLeavesNothing(t, running(t, "durable=true"), func(l *requestertest.Link) bool {
		c := inside(l)
		return !hasQueue(t, c.factory.Queue(c.Number))
	})
}

func TestSecondHostIsTriedWhenTheFirstIsDown(t *testing.T) {
	url := brokertest.URL(t, "RABBITMQ")
	l := connected(t, factory(t, strings.Replace(url, brokertest.HostOf(t, url), "127.0.0.1:1,"+brokertest.HostOf(t, url), 1), ""), 0)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
}

func TestEmptyPathIsTheDefaultVhost(t *testing.T) {
	for _, path := range []string{"/", "/%2F"} {
		requestertest.Connect(t, factory(t, brokertest.URL(t, "RABBITMQ")+path, ""), 0).RoundTrips(t, 100)
	}
}

func TestConnectionsKeepOrder(t *testing.T) { brokertest.KeepsOrder(t, running(t, "")) }

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range kinds {
		brokertest.WantAcknowledges(t, running(t, options), true)
	}
	brokertest.WantAcknowledges(t, running(t, ""), false)
}
