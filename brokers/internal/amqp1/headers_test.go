package amqp1

import (
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"", "confirm=true&accept=true", "durability=process"} {
		t.Run(options, func(t *testing.T) { brokertest.Headers(t, running(t, options)) })
	}
}

// The broker gets the content alone, and the stamp as an application property.
func TestTheMessageOfAPayload(t *testing.T) {
	f := running(t, "durable=true")
	f.Headers = requester.Headers{Stamp: true, Fixed: brokertest.Fixed()}
	l := connected(t, f, 0)
	other, err := f.dial(t.Context(), 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	session, err := other.NewSession(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := session.NewReceiver(t.Context(), queuePath(l.Queue), &amqp.ReceiverOptions{Credit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the consumers take turns
		l.Send(t, brokertest.Payload())
	}
	m, err := receiver.Receive(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantMessage(t, m.GetData(), func(name string) string { return m.ApplicationProperties[name].(string) })
	l.Want(t, brokertest.Payload())
}

func TestMessagesHaveNoKeys(t *testing.T) {
	brokertest.WantNoKeys(t, factory(t, "amqp1://h", ""), requester.Topology{}, "RabbitMQ does not act on the group-id of a message: measure it over AMQP 0-9-1, with the scheme amqp")
}
