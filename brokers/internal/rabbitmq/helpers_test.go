package rabbitmq

import (
	"errors"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("rabbitmq", rawURL, run, New) }

// factory returns a factory for a URL, with the options added to it.
func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, rawURL, options)
}

// running returns a factory for the running broker.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return factory(t, brokertest.URL(t, "RABBITMQ"), options)
}

// A tester is a [requestertest.Link], with the insides of its connection.
type tester struct {
	*requestertest.Link
	*conn
}

// inside returns a connection with its insides.
func inside(l *requestertest.Link) *tester {
	return &tester{l, l.Requester.(*conn)}
}

// publisher returns the publisher in use; nil if there is none.
func (l *tester) publisher() *publisher {
	if current, ok := l.Current(); ok {
		return current.publisher.Load()
	}
	return nil
}

// connected makes and sets up a connection.
func connected(t testing.TB, f *Factory, number int) *tester {
	t.Helper()
	return inside(requestertest.Connect(t, f, number))
}

// admin calls do with a channel of its own to the broker, and returns do's error.
func admin(t testing.TB, do func(*amqp.Channel) error) error {
	t.Helper()
	s, err := running(t, "").dial(t.Context(), 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	channel, err := s.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return do(channel)
}

// do is admin where no error is expected.
func do(t testing.TB, what func(*amqp.Channel) error) {
	t.Helper()
	if err := admin(t, what); err != nil {
		t.Fatal(err)
	}
}

// put publishes a message to a queue, over a channel of its own.
func put(t testing.TB, queue string, body []byte) {
	t.Helper()
	do(t, func(channel *amqp.Channel) error {
		return channel.Publish("", queue, true, false, amqp.Publishing{Body: body})
	})
}

// hasQueue asks the broker for a queue.
func hasQueue(t testing.TB, name string) bool {
	t.Helper()
	return found(t, func(channel *amqp.Channel) error {
		_, err := channel.QueueDeclarePassive(name, false, false, false, false, nil)
		return err
	})
}

// hasExchange asks the broker for an exchange.
func hasExchange(t testing.TB, name string) bool {
	t.Helper()
	return found(t, func(channel *amqp.Channel) error {
		return channel.ExchangeDeclarePassive(name, "direct", false, true, false, false, nil)
	})
}

// found reports whether what ask asks for is there. It is, too, if it is locked.
func found(t testing.TB, ask func(*amqp.Channel) error) bool {
	t.Helper()
	err := admin(t, ask)
	var cause *amqp.Error
	if err != nil && (!errors.As(err, &cause) || cause.Code != amqp.NotFound && cause.Code != amqp.ResourceLocked) {
		t.Fatal(err)
	}
	return cause == nil || cause.Code != amqp.NotFound
}
