package amqp1

import (
	"context"
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// variants are options to compare.
var variants = []string{
	"", "credit=100", "credit=10000", "accept=true", "confirm=true", "durable=true&persistent=true&confirm=true",
	"durable=true&queue-type=quorum&confirm=true",
}

// BenchmarkRoundTrip's "client" is go-amqp without this package: the difference is ours.
func BenchmarkRoundTrip(b *testing.B) {
	url := runningURL(b, "RABBITMQ4")
	brokertest.BenchRoundTrips(b, Open, url, variants, 256)
	b.Run("client/256", func(b *testing.B) { benchClient(b, running(b, ""), 256) })
	brokertest.BenchRoundTrips(b, Open, url, []string{""}, 16, 1<<10, 64<<10, 1<<20)
}

// benchClient does the same with go-amqp alone.
func benchClient(b *testing.B, f *Factory, size int) {
	l := alone(b, f, 0)
	ctx := context.Background()
	m := f.options.message()
	brokertest.Measure(b, requestertest.Payload(0, 1, size), func(message []byte) error {
		m.Data[0] = message
		err := l.sender.Send(ctx, m, &amqp.SendOptions{Settled: true})
		if err != nil {
			return err
		}
		_, err = l.receiver.Receive(ctx, nil)
		l.granting.use()
		return err
	})
}

// BenchmarkAck is the time until a message is accepted. Its "client" is go-amqp alone, whose
// caller waits for the outcome: the difference is what is added by the send queue, and by the
// goroutine that waits for all outcomes in turn.
func BenchmarkAck(b *testing.B) {
	f := running(b, "confirm=true")
	b.Run("package", func(b *testing.B) { brokertest.Acks(b, f, true) })
	b.Run("client", func(b *testing.B) {
		l := alone(b, f, 1)
		m := f.options.message()
		brokertest.Measure(b, requestertest.Payload(0, 1, 1<<10), func(message []byte) error {
			m.Data[0] = message
			if err := l.sender.Send(b.Context(), m, nil); err != nil {
				return err
			}
			_, err := l.receiver.Receive(b.Context(), nil)
			l.granting.use()
			return err
		})
	})
}

// alone returns a link without the goroutines of this package.
func alone(b *testing.B, f *Factory, number int) *link {
	b.Helper()
	c, err := f.dial(b.Context(), number, f.Queue(number))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.close)
	l := &link{client: c, conn: newConn(f, number, requester.Replies(func([]byte) {}))}
	if err := l.attach(b.Context()); err != nil {
		b.Fatal(err)
	}
	return l
}
