package rabbitmq

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// behind returns a factory for the running broker behind a proxy.
func behind(t testing.TB, options string) (*Factory, *relay.Relay) {
	t.Helper()
	return brokertest.Behind(t, Open, brokertest.URL(t, "RABBITMQ"), options)
}

// through connects to the running broker behind a proxy.
func through(t testing.TB, options string) (*tester, *relay.Relay) {
	t.Helper()
	f, p := behind(t, options)
	return connected(t, f, 0), p
}

func TestConnectionThatIsCutComesBack(t *testing.T) {
	for _, options := range []string{"", "separate-connections=true", "durable=true&queue-type=quorum&confirm=true", "exchange=topic&prefetch=10"} {
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

// A durable queue keeps its messages while no client is connected.
func TestDurableQueueKeepsMessagesWhenTheConnectionIsCut(t *testing.T) {
	l, p := through(t, "durable=true&persistent=true&reconnect-wait=1ms")
	brokertest.CutOff(t, l.Link, p, "reconnecting")
	kept := requestertest.Payload(0, 7, 1024)
	put(t, l.factory.Queue(0), kept)
	p.Refuse(false)
	l.Want(t, kept)
}

func TestQueueThatIsDeletedIsDeclaredAgain(t *testing.T) {
	l := connected(t, running(t, "durable=true&reconnect-wait=1ms"), 0)
	do(t, func(channel *amqp.Channel) error {
		_, err := channel.QueueDelete(l.factory.Queue(0), false, false, false)
		return err
	})
	l.WantEvents(t, "deleted the queue", "reconnected after")
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
}

func TestExchangeThatIsDeletedIsDeclaredAgain(t *testing.T) {
	l := connected(t, running(t, "exchange=direct&reconnect-wait=1ms"), 0)
	do(t, func(channel *amqp.Channel) error {
		return channel.ExchangeDelete(l.factory.Queue(0), false, false)
	})
	requestertest.Until(t, "noticed", func() bool {
		_ = l.Request(t.Context(), requestertest.Payload(0, 0, 100))
		return strings.Contains(l.Texts(), "NOT_FOUND")
	})
	l.WantEvents(t, "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 1, 100))
}

// hang issues a Request that the broker does not read, and waits until it is
// written, or about to be. No socket's buffers hold so much.
func hang(ctx context.Context, t testing.TB, l *tester) <-chan error {
	t.Helper()
	written := func() uint64 {
		s := l.publisher().sent
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.next
	}
	before := written()
	returned := make(chan error, 1)
	go func() { returned <- l.Request(ctx, requestertest.Payload(0, 0, 64<<20)) }()
	requestertest.Until(t, "Request under way", func() bool { return written() > before })
	return returned
}

func TestTeardownEndsARequestThatHangs(t *testing.T) {
	for _, options := range []string{"", "separate-connections=true", "confirm=true"} {
		l, p := through(t, options)
		p.Set(relay.State{Deaf: true, Mute: true})
		returned := hang(t.Context(), t, l)
		ended := make(chan error, 1)
		go func() { ended <- l.TryEnd() }()
		brokertest.WantError(t, <-returned, "publishing")
		if err := <-ended; err != nil {
			t.Errorf("%s: Teardown: %v", options, err)
		}
	}
}

func TestContextEndsARequestThatHangs(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	l.RoundTrip(t, requestertest.Payload(0, 1, 100)) // with another context
	ctx, cancel := context.WithCancel(t.Context())
	p.Set(relay.State{Deaf: true, Mute: true})
	returned := hang(ctx, t, l)
	cancel()
	if err := <-returned; !errors.Is(err, context.Canceled) {
		t.Errorf("Request: %v, want %v", err, context.Canceled)
	}
	if err := l.Request(ctx, requestertest.Payload(0, 2, 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("Request with a context that has ended: %v, want %v", err, context.Canceled)
	}
	p.Set(relay.State{})
	l.WantEvents(t, "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 3, 100))
}

// One connection for both directions is enough for that.
func TestRepliesComeWhileTheBrokerDoesNotRead(t *testing.T) {
	l, p := through(t, "")
	p.Set(relay.State{Deaf: true})
	returned := hang(t.Context(), t, l)
	for seq := range uint64(10) {
		reply := requestertest.Payload(0, 1+seq, 1024)
		put(t, l.factory.Queue(0), reply)
		l.Want(t, reply)
	}
	p.Set(relay.State{})
	if err := <-returned; err != nil {
		t.Error(err)
	}
	l.Want(t, requestertest.Payload(0, 0, 64<<20))
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	f, p := behind(t, "")
	p.Set(relay.State{Deaf: true, Mute: true})
	ctx, cancel := context.WithCancel(t.Context())
	l := requestertest.NewLink(t, f, 0)
	ended := make(chan error, 1)
	go func() { ended <- l.Setup(ctx) }()
	requestertest.Until(t, "connected", func() bool { return p.Accepted() > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Setup: %v, want %v", err, context.Canceled)
	}
}

func TestTeardownWhileTheBrokerIsDown(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	brokertest.TeardownWhileTheBrokerIsDown(t, l.Link, p)
}

func TestTeardownSaysThatAQueueIsLeft(t *testing.T) {
	l, p := through(t, "durable=true&reconnect-wait=1ms")
	brokertest.CutOff(t, l.Link, p, "disconnected")
	brokertest.WantError(t, l.TryEnd(), "removing queue "+l.factory.Queue(0), "expires unused in 10m0s")
	p.Refuse(false)
	l.End(t)
	if hasQueue(t, l.factory.Queue(0)) {
		t.Errorf("queue %s is left", l.factory.Queue(0))
	}
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, running(t, "durable=true&exchange=topic"))
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms&confirm=true&separate-connections=true")
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}
