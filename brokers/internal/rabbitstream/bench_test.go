package rabbitstream

import (
	"bytes"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/message"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// variants are options to compare.
var variants = []string{"", "credit-each=true&credits=10", "batch-size=100", "checksum=false"}

// BenchmarkRoundTrip's "client" is the client without this package: the difference is ours.
func BenchmarkRoundTrip(b *testing.B) {
	url := brokertest.URL(b, "RABBITMQ_STREAM")
	brokertest.BenchRoundTrips(b, Open, url, variants, 1<<10)
	b.Run("client/1024", benchClient)
}

// benchClient does the same with the client alone.
func benchClient(b *testing.B) {
	f, back := running(b, ""), make(chan struct{}, 1)
	c := newConn(f, 0, requester.Replies(func([]byte) {}), f.add(0))
	if err := c.Use(c.Shares[0], func() error { return c.create(b.Context(), c.Shares[0]) }); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Teardown(b.Context()) }()
	l, err := f.connect(b.Context(), 0, f.stream(0), source{stream: f.stream(0), from: stream.OffsetSpecification{}.First(), take: func(stream.ConsumerContext, *amqp.Message) { back <- struct{}{} }})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close(nil)
	go func() {
		for range l.confirms {
		}
	}()
	brokertest.Measure(b, requestertest.Payload(0, 1, 1<<10), func(payload []byte) error {
		err := l.producer.BatchSend([]message.StreamMessage{amqp.NewMessage(bytes.Clone(payload))})
		if err == nil {
			<-back
		}
		return err
	})
}
