package amqp1

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConnectionThatIsCutComesBack(t *testing.T) {
	for _, options := range []string{"", "durable=true&queue-type=quorum&confirm=true", "accept=true&credit=10"} {
		t.Run(options, func(t *testing.T) {
			l, p := through(t, options+"&reconnect-wait=1ms")
			brokertest.CutsComeBack(t, l.Link, p)
		})
	}
}

func TestRequestFailsWhileDisconnected(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	brokertest.RequestFailsWhileDisconnected(t, l.Link, p, "@"+p.Addr())
}

func TestQueueThatIsDeletedIsDeclaredAgain(t *testing.T) {
	l := connected(t, running(t, "durable=true&reconnect-wait=1ms"), 0)
	deleteQueue(t, l.factory.Queue(0))
	l.WantEvents(t, "disconnected", "deleted", "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
}

// A broker that does not read holds up no Request, and neither its end.
func TestABrokerThatDoesNotRead(t *testing.T) {
	for _, options := range []string{"", "confirm=true"} {
		l, p := through(t, options)
		p.Set(relay.State{Deaf: true, Mute: true})
		ctx, cancel := context.WithCancel(t.Context())
		for seq := range uint64(100) {
			if err := l.Request(ctx, requestertest.Payload(0, seq, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if err := l.Request(ctx, requestertest.Payload(0, 0, 100)); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		begun := time.Now()
		l.End(t)
		if took := time.Since(begun); took > 2*closeTimeout {
			t.Errorf("%s: Teardown took %v", options, took)
		}
	}
}

func TestABrokerThatIsSilentIsGivenUp(t *testing.T) {
	l, p := through(t, "idle-timeout=2s&reconnect-wait=1ms")
	brokertest.ASilentBrokerIsGivenUp(t, l.Link, p)
}

// A broker that is idle because there is nothing to say is not given up.
func TestASilentConnectionStays(t *testing.T) {
	brokertest.AnIdleBrokerIsNot(t, running(t, "idle-timeout=2s"), 5*time.Second)
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	f, p := behind(t, "")
	brokertest.ContextEndsASetupThatHangs(t, f, p, 0, 100, 400, 700)
}

func TestTeardownWhileTheBrokerIsDown(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	brokertest.TeardownWhileTheBrokerIsDown(t, l.Link, p)
}

func TestTeardownSaysThatAQueueIsLeft(t *testing.T) {
	l, p := through(t, "durable=true&reconnect-wait=1ms")
	brokertest.CutOff(t, l.Link, p, "disconnected")
	brokertest.WantError(t, l.TryEnd(), "removing queue "+l.factory.Queue(0), "expires unused in 10m0s")
	if left := l.factory.Left(); len(left) != 1 || left[0] != "queue "+l.factory.Queue(0) {
		t.Errorf("left %v", left)
	}
	p.Refuse(false)
	l.End(t)
	if hasQueue(t, l.factory.Queue(0)) || len(l.factory.Left()) > 0 {
		t.Errorf("queue %s is left, %v", l.factory.Queue(0), l.factory.Left())
	}
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms&confirm=true")
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}
