package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// variants are options to compare.
var variants = []string{
	"", "mandatory=false", "separate-connections=true", "confirm=true", "prefetch=100", "exchange=topic",
	"durable=true", "durable=true&persistent=true&confirm=true", "durable=true&queue-type=quorum&confirm=true",
}

// BenchmarkRoundTrip's "client" is amqp091-go without this package: the
// difference is ours.
func BenchmarkRoundTrip(b *testing.B) {
	url := brokertest.URL(b, "RABBITMQ")
	brokertest.BenchRoundTrips(b, Open, url, variants, 256)
	b.Run("client/256", func(b *testing.B) { benchClient(b, running(b, ""), 256) })
	brokertest.BenchRoundTrips(b, Open, url, []string{""}, 16, 1<<10, 64<<10, 1<<20)
	b.Run("TLS", func(b *testing.B) {
		brokertest.BenchRoundTrips(b, Open, brokertest.URL(b, "RABBITMQ_TLS"), []string{""}, 256)
	})
}

// benchClient does the same with amqp091-go alone.
func benchClient(b *testing.B, f *Factory, size int) {
	queue := f.Queue(0)
	s, err := f.dial(b.Context(), 0, queue)
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	l, err := f.consume(s, queue)
	if err != nil {
		b.Fatal(err)
	}
	p, err := f.publish(s, queue)
	if err != nil {
		b.Fatal(err)
	}
	brokertest.Measure(b, requestertest.Payload(0, 1, size), func(message []byte) error {
		err := p.channel.Publish("", queue, true, false, amqp.Publishing{DeliveryMode: amqp.Transient, Body: message})
		if err == nil {
			<-l.sources[0].deliveries
		}
		return err
	})
}
