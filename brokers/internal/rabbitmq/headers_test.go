package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"", "confirm=true&prefetch=100", "durability=process", "durable=true&confirm=true&queue-type=quorum&prefetch=10"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			brokertest.Headers(t, running(t, options))
		})
	}
}

// The broker gets the content alone, and the stamp as a header. It returns both with a message that reaches no
// queue.
func TestTheMessageOfAPayload(t *testing.T) {
	for _, options := range []string{"durable=true&exchange=direct", "durable=true&exchange=direct&confirm=true"} {
		f := running(t, options)
		f.Headers = requester.Headers{Stamp: true, Fixed: brokertest.Fixed()}
		l, payload := connected(t, f, 0), brokertest.Payload()
		do(t, func(channel *amqp.Channel) error {
			spy, err := channel.QueueDeclare("", false, true, true, false, nil)
			for _, key := range []string{l.Queue, "another"} { // which keeps the exchange
				if err == nil {
					err = channel.QueueBind(spy.Name, key, l.Queue, false, nil)
				}
			}
			if err != nil {
				return err
			}
			deliveries, err := channel.Consume(spy.Name, "", true, false, false, false, nil)
			if err != nil {
				return err
			}
			l.Send(t, payload)
			d := <-deliveries
			brokertest.WantMessage(t, d.Body, func(name string) string { return d.Headers[name].(string) })
			l.Want(t, payload)
			for _, queue := range []string{spy.Name, l.Queue} {
				if err := channel.QueueUnbind(queue, l.Queue, l.Queue, nil); err != nil {
					return err
				}
			}
			l.Send(t, payload)
			if failed := l.WantFailure(t, "NO_ROUTE"); failed.Stamp != (requester.Stamp{Run: 1, Conn: 2, Seq: 3}) {
				t.Errorf("%v", failed)
			}
			return nil
		})
		l.End(t)
	}
}

func TestHeadersThatNoFrameCarries(t *testing.T) {
	f := factory(t, "amqp://h", "")
	brokertest.WantError(t, requester.Carry(f, requester.Headers{Fixed: []requester.Header{{Name: "a", Value: string(make([]byte, 128<<10))}}}),
		"headers of 132103 B do not fit into a frame of 131072 B")
}
