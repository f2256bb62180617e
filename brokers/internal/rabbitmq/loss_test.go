package rabbitmq

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// A stranger consumes the queue of connection 0 beside brokerbench, and holds what it gets
// without acknowledging it.
type stranger struct {
	*session

	channel *amqp.Channel
	tag     string
	held    []amqp.Delivery
}

// robbed fills the queue of a connection with n messages that only another client received:
// brokerbench's own consumer is at rest.
func robbed(t *testing.T, f *Factory, n int) *stranger {
	t.Helper()
	l := connected(t, f, 0)
	if err := l.StopConsuming(t.Context()); err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(n) {
		put(t, f.Queue(0), requestertest.Payload(0, seq, 100))
	}
	s, err := f.dial(t.Context(), 0, "stranger")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	of := &stranger{session: s, tag: "stranger"}
	if of.channel, err = s.Channel(); err != nil {
		t.Fatal(err)
	}
	deliveries, err := of.channel.Consume(f.Queue(0), of.tag, false, false, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		of.held = append(of.held, <-deliveries)
	}
	return of
}

// asked returns the options for a queue that is asked about over the management API, too.
func asked(t *testing.T, options string) string {
	t.Helper()
	api := brokertest.Changed(t, brokertest.URL(t, "RABBITMQ_MANAGEMENT"), func(u *url.URL) { u.User = nil })
	return options + "&management=" + url.QueryEscape(api)
}

const kept = "confirm=true&durable=true&queue-type=quorum&prefetch=10"

// What a stranger holds is neither ready nor lost, and is found when it comes back.
func TestWhatAStrangerHoldsIsHeldAndComesBack(t *testing.T) {
	for _, options := range []string{kept, "confirm=true&durable=true&prefetch=10&management=http://127.0.0.1:1", asked(t, kept)} {
		f := running(t, options)
		s := robbed(t, f, 3)
		if found := requestertest.Audited(t, f); len(found) != 0 {
			t.Fatalf("%s: an audit finds %d of the messages that a stranger holds", options, len(found))
		}
		brokertest.WantError(t, f.explainLoss(t.Context()), "queue "+f.Queue(0), "held by a consumer that has not acknowledged")
		if err := f.explainLoss(t.Context()); !errors.Is(err, requester.ErrHeld) {
			t.Errorf("%s: %v", options, err)
		}
		s.close()
		if found := requestertest.Audited(t, f); len(found) != 3 {
			t.Errorf("%s: %d of 3 messages came back", options, len(found))
		}
		requestertest.Until(t, "no consumer holds messages", func() bool { return f.explainLoss(t.Context()) == nil })
	}
}

// A consumer that was cancelled keeps its messages. AMQP does not count it, and the management
// API tells how much it is.
func TestTheManagementAPITellsWhatACancelledConsumerHolds(t *testing.T) {
	f := running(t, asked(t, "confirm=true&durable=true&prefetch=10"))
	s := robbed(t, f, 3)
	if err := s.channel.Cancel(s.tag, false); err != nil {
		t.Fatal(err)
	}
	requestertest.Until(t, "what is held is counted", func() bool {
		err := f.explainLoss(t.Context())
		return errors.Is(err, requester.ErrHeld) && strings.Contains(err.Error(), "queue "+f.Queue(0)+": 3 are held by a consumer")
	})
}

// With automatic acknowledgements what was on its way to a consumer that was cut off is gone,
// whoever lost it. With others the broker has it still, and so it is if nothing broke.
func TestNobodyCanTellWhatAnAutomaticAcknowledgementLost(t *testing.T) {
	for options, forgotten := range map[string]bool{"": true, "&prefetch=10": false} {
		f, p := behind(t, "confirm=true&durable=true&reconnect-wait=1ms&management=http://127.0.0.1:1"+options)
		l := connected(t, f, 0)
		if err := f.explainLoss(t.Context()); errors.Is(err, errForgotten) {
			t.Errorf("%q: nothing broke, and %v", options, err)
		}
		brokertest.CutOff(t, l.Link, p, "reconnecting")
		p.Refuse(false)
		l.WantEvents(t, "reconnected after")
		if err := l.StopConsuming(t.Context()); err != nil {
			t.Fatal(err)
		}
		var err error
		requestertest.Until(t, "no consumers", func() bool { err = f.explainLoss(t.Context()); return !errors.Is(err, requester.ErrHeld) })
		if errors.Is(err, errForgotten) != forgotten || forgotten && !strings.Contains(err.Error(), "set the option prefetch") {
			t.Errorf("%q: %v", options, err)
		}
	}
}

// What is taken and not all of it comes is acknowledged all the same: another node gives the
// rest.
func TestAnAuditOfASilentNodeKeepsWhatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deliveries, acks, read := make(chan amqp.Delivery, 1500), new(counted), 0
		for tag := range uint64(1500) {
			deliveries <- amqp.Delivery{Acknowledger: acks, DeliveryTag: tag + 1}
		}
		err := take(2000, deliveries, nil, func([]byte) { read++ })
		if !errors.Is(err, errSilent) || read != 1500 || acks.upTo != 1500 {
			t.Errorf("%d read, acknowledged up to %d: %v", read, acks.upTo, err)
		}
	})
}

// counted counts acknowledgements.
type counted struct{ upTo uint64 }

func (c *counted) Ack(tag uint64, _ bool) error  { c.upTo = tag; return nil }
func (c *counted) Nack(uint64, bool, bool) error { return nil }
func (c *counted) Reject(uint64, bool) error     { return nil }
