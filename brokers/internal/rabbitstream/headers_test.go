package rabbitstream

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"", "batch-size=100&sub-entry-size=10"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			brokertest.Headers(t, running(t, options))
		})
	}
}

// The broker gets the content alone, and the stamp as an application property.
func TestTheMessageOfAPayload(t *testing.T) {
	f := running(t, "")
	f.headers = requester.Headers{Stamp: true, Fixed: brokertest.Fixed()}
	l := connected(t, f, 0)
	l.Send(t, brokertest.Payload())
	l.Want(t, brokertest.Payload())
	messages := make(chan *amqp.Message, 10)
	do(t, func(env *stream.Environment) error {
		_, err := consume(env, f.stream(0), stream.OffsetSpecification{}.First(), auditCredits, func(_ stream.ConsumerContext, m *amqp.Message) { messages <- m })
		if err == nil {
			<-messages // the probe
			m := <-messages
			brokertest.WantMessage(t, m.GetData(), func(name string) string { return m.ApplicationProperties[name].(string) })
		}
		return err
	})
}
