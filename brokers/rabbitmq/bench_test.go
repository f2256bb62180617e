package rabbitmq

import (
	"strconv"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// variants are options to compare.
var variants = []string{
	"", "mandatory=false", "separate-connections=true", "confirm=true", "prefetch=100", "exchange=topic",
	"durable=true", "durable=true&persistent=true&confirm=true", "durable=true&queue-type=quorum&confirm=true",
}

// BenchmarkRoundTrip sends one message at a time, as soon as the last is back.
// "client" is amqp091-go without this package: the difference is ours.
func BenchmarkRoundTrip(b *testing.B) {
	for _, options := range variants {
		b.Run("256B/"+options, func(b *testing.B) { brokertest.RoundTrips(b, running(b, options), 256) })
	}
	b.Run("256B/client", func(b *testing.B) { benchClient(b, running(b, ""), 256) })
	for _, size := range []int{16, 1 << 10, 64 << 10, 1 << 20} {
		b.Run("size="+strconv.Itoa(size), func(b *testing.B) { brokertest.RoundTrips(b, running(b, ""), size) })
	}
	b.Run("256B/TLS", func(b *testing.B) { brokertest.RoundTrips(b, factory(b, brokertest.URL(b, "RABBITMQ_TLS"), ""), 256) })
}

// benchClient does the same with amqp091-go alone.
func benchClient(b *testing.B, f *Factory, size int) {
	l, err := f.connect(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer l.close()
	queue := f.queue(0)
	brokertest.Measure(b, brokertest.Payload(0, 1, size), func(message []byte) error {
		err := l.publisher.channel.Publish("", queue, true, false, amqp.Publishing{DeliveryMode: amqp.Transient, Body: message})
		if err == nil {
			<-l.deliveries
		}
		return err
	})
}

// BenchmarkPaced sends on schedule with the engine and reports responses. The
// time of an op is the schedule's: look at p50 and p99.
func BenchmarkPaced(b *testing.B) {
	for _, cell := range []struct {
		name                    string
		rate, size, connections int
	}{{"1KiBx3000", 3000, 1 << 10, 1}, {"1MiBx100", 100, 1 << 20, 1}, {"1KiBx10000on25", 10000, 1 << 10, 25}} {
		for _, options := range variants {
			b.Run(cell.name+"/"+options, func(b *testing.B) {
				brokertest.Paced(b, running(b, options), cell.rate, cell.size, cell.connections)
			})
		}
	}
}
