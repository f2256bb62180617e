package rabbitmq

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// behind returns a factory for the running broker behind a proxy.
func behind(t testing.TB, options string) (*Factory, *proxy) {
	t.Helper()
	url := brokertest.URL(t, "RABBITMQ")
	p := newProxy(t, hostOf(t, url))
	return factory(t, at(t, url, p.addr()), options), p
}

func TestConnectionThatIsCutComesBack(t *testing.T) {
	for _, options := range []string{"", "separate-connections=true", "durable=true&queue-type=quorum&confirm=true", "exchange=topic&prefetch=10"} {
		t.Run(options, func(t *testing.T) {
			f, p := behind(t, options+"&reconnect-wait=1ms")
			l := connected(t, f, 0)
			for round := range uint64(3) {
				l.roundTrip(t, brokertest.Payload(0, 2*round, 1024))
				p.cut()
				poll(t, "back", func() bool {
					return l.Request(t.Context(), brokertest.Payload(0, 2*round+1, 1024)) == nil && l.isBack(round+1)
				})
				drain(t, l)
			}
			l.wantEvent(t, "disconnected")
			l.wantEvent(t, "reconnected after")
		})
	}
}

// isBack tells whether a connection has come back so many times.
func (l *tester) isBack(times uint64) bool {
	var n uint64
	for _, e := range l.Events() {
		if strings.Contains(e.Text, "reconnected") {
			n++
		}
	}
	return n == times
}

// drain forgets the replies to everything that was sent so far.
func drain(t testing.TB, l *tester) {
	t.Helper()
	last := brokertest.Payload(9, 99, 77)
	l.send(t, last)
	for {
		select {
		case got := <-l.replies:
			if len(got) == len(last) {
				return
			}
		case <-time.After(patience):
			t.Fatalf("no reply; events %v", l.Events())
		}
	}
}

func TestRequestFailsWhileDisconnected(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms")
	l := connected(t, f, 0)
	p.refuse(true)
	p.cut()
	tries := p.connections()
	poll(t, "a few attempts", func() bool { return p.connections() > tries+20 })
	if events := l.Events(); len(events) > 6 {
		t.Errorf("an event for each attempt: %v", events)
	}
	wantError(t, l.Request(t.Context(), brokertest.Payload(0, 0, 100)), "@"+p.addr(), "publishing", "shaking hands")
	p.refuse(false)
	l.wantEvent(t, "reconnected after")
	l.roundTrip(t, brokertest.Payload(0, 1, 100))
}

// A durable queue keeps what it holds while nobody is connected.
func TestDurableQueueKeepsMessagesWhenTheConnectionIsCut(t *testing.T) {
	f, p := behind(t, "durable=true&persistent=true&reconnect-wait=1ms")
	l := connected(t, f, 0)
	p.refuse(true)
	p.cut()
	l.wantEvent(t, "reconnecting")
	kept := brokertest.Payload(0, 7, 1024)
	err := admin(t, func(channel *amqp.Channel) error {
		return channel.Publish("", f.queue(0), true, false, amqp.Publishing{Body: kept})
	})
	if err != nil {
		t.Fatal(err)
	}
	p.refuse(false)
	l.want(t, kept)
}

func TestQueueThatIsDeletedIsDeclaredAgain(t *testing.T) {
	l := connected(t, running(t, "durable=true&reconnect-wait=1ms"), 0)
	err := admin(t, func(channel *amqp.Channel) error {
		_, err := channel.QueueDelete(l.factory.queue(0), false, false, false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l.wantEvent(t, "somebody deleted the queue")
	l.wantEvent(t, "reconnected after")
	l.roundTrip(t, brokertest.Payload(0, 0, 100))
}

func TestExchangeThatIsDeletedIsDeclaredAgain(t *testing.T) {
	l := connected(t, running(t, "exchange=direct&reconnect-wait=1ms"), 0)
	err := admin(t, func(channel *amqp.Channel) error {
		return channel.ExchangeDelete(l.factory.queue(0), false, false)
	})
	if err != nil {
		t.Fatal(err)
	}
	poll(t, "noticed", func() bool { _ = l.Request(t.Context(), brokertest.Payload(0, 0, 100)); return l.hasEvent("NOT_FOUND") })
	l.wantEvent(t, "reconnected after")
	drain(t, l)
	l.roundTrip(t, brokertest.Payload(0, 1, 100))
}

// hang issues a Request that the broker does not read, and waits until it is
// written, or about to be. No socket's buffers hold so much.
func hang(ctx context.Context, t testing.TB, l *tester) <-chan error {
	t.Helper()
	written := func() uint64 {
		s := l.publisher.Load().sent
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.next
	}
	before := written()
	returned := make(chan error, 1)
	go func() { returned <- l.Request(ctx, brokertest.Payload(0, 0, 64<<20)) }()
	poll(t, "Request under way", func() bool { return written() > before })
	return returned
}

func TestTeardownEndsARequestThatHangs(t *testing.T) {
	for _, options := range []string{"", "separate-connections=true", "confirm=true"} {
		f, p := behind(t, options)
		l := connected(t, f, 0)
		p.freeze(true)
		returned := hang(t.Context(), t, l)
		ended := make(chan error, 1)
		go func() { ended <- l.end() }()
		wantError(t, <-returned, "publishing")
		if err := <-ended; err != nil {
			t.Errorf("%s: Teardown: %v", options, err)
		}
	}
}

func TestContextEndsARequestThatHangs(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms")
	l := connected(t, f, 0)
	l.roundTrip(t, brokertest.Payload(0, 1, 100)) // with another context
	ctx, cancel := context.WithCancel(t.Context())
	p.freeze(true)
	returned := hang(ctx, t, l)
	cancel()
	if err := <-returned; !errors.Is(err, context.Canceled) {
		t.Errorf("Request: %v, want %v", err, context.Canceled)
	}
	if err := l.Request(ctx, brokertest.Payload(0, 2, 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("Request with a context that has ended: %v, want %v", err, context.Canceled)
	}
	p.freeze(false)
	l.wantEvent(t, "reconnected after")
	drain(t, l)
	l.roundTrip(t, brokertest.Payload(0, 3, 100))
}

// One connection for both directions is enough for that.
func TestRepliesComeWhileTheBrokerDoesNotRead(t *testing.T) {
	f, p := behind(t, "")
	l := connected(t, f, 0)
	p.deafen(true)
	returned := hang(t.Context(), t, l)
	for seq := range uint64(10) {
		reply := brokertest.Payload(0, 1+seq, 1024)
		err := admin(t, func(channel *amqp.Channel) error {
			return channel.Publish("", f.queue(0), true, false, amqp.Publishing{Body: reply})
		})
		if err != nil {
			t.Fatal(err)
		}
		l.want(t, reply)
	}
	p.deafen(false)
	if err := <-returned; err != nil {
		t.Error(err)
	}
	l.want(t, brokertest.Payload(0, 0, 64<<20))
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	f, p := behind(t, "")
	p.freeze(true)
	ctx, cancel := context.WithCancel(t.Context())
	l := newTester(t, f, 0)
	ended := make(chan error, 1)
	go func() { ended <- l.Setup(ctx) }()
	poll(t, "connected", func() bool { return p.connections() > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Setup: %v, want %v", err, context.Canceled)
	}
}

func TestTeardownWhileTheBrokerIsDown(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms")
	l := connected(t, f, 0)
	p.refuse(true)
	p.cut()
	l.wantEvent(t, "reconnecting")
	if err := l.end(); err != nil { // the queue went with its connection
		t.Error(err)
	}
	wantError(t, l.Request(t.Context(), brokertest.Payload(0, 0, 100)), "torn down")
}

func TestTeardownSaysThatAQueueIsLeft(t *testing.T) {
	f, p := behind(t, "durable=true&reconnect-wait=1ms")
	l := connected(t, f, 0)
	p.refuse(true)
	p.cut()
	l.wantEvent(t, "disconnected")
	wantError(t, l.end(), "removing queue "+f.queue(0), "expires in 10m0s")
	p.refuse(false)
	if err := l.end(); err != nil {
		t.Error(err)
	}
	if hasQueue(t, f.queue(0)) {
		t.Errorf("queue %s is left", f.queue(0))
	}
}

func TestTeardownIsSafeAtAnyTime(t *testing.T) {
	l := newTester(t, factory(t, "amqp://127.0.0.1:1", ""), 0)
	wantError(t, l.Request(t.Context(), brokertest.Payload(0, 0, 100)), "not set up")
	for range 2 {
		if err := l.end(); err != nil {
			t.Error(err)
		}
	}
	l = connected(t, running(t, "durable=true&exchange=topic"), 0)
	for range 2 {
		if err := l.end(); err != nil {
			t.Error(err)
		}
	}
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms&confirm=true&separate-connections=true")
	idle := runtime.NumGoroutine()
	for range 3 {
		l := connected(t, f, 0)
		p.cut()
		l.wantEvent(t, "reconnected after")
		if err := l.end(); err != nil {
			t.Fatal(err)
		}
	}
	poll(t, "goroutines ended", func() bool { return runtime.NumGoroutine() <= idle })
}
