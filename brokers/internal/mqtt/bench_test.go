package mqtt

import (
	"context"
	"net"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/eclipse/paho.golang/paho"
)

// variants are options to compare.
var variants = []string{"", "qos=1", "qos=2", "qos=1&audit-session=true"}

func BenchmarkRoundTrip(b *testing.B) {
	brokertest.BenchRoundTrips(b, Open, brokertest.URL(b, "MQTT"), variants, 16, 1<<10, 1<<20)
}

// BenchmarkAck is the time until a message of QoS 1 was acknowledged. Its "client" is paho with
// its own session, whose caller waits for the acknowledgement.
func BenchmarkAck(b *testing.B) {
	f := running(b, "qos=1")
	b.Run("package", func(b *testing.B) { brokertest.Acks(b, f, false) })
	b.Run("client", func(b *testing.B) {
		socket, err := new(net.Dialer).DialContext(b.Context(), "tcp", brokertest.HostOf(b, brokertest.URL(b, "MQTT")))
		if err != nil {
			b.Fatal(err)
		}
		own := paho.NewClient(paho.ClientConfig{Conn: socket})
		if _, err := own.Connect(b.Context(), &paho.Connect{ClientID: "bench", CleanStart: true, KeepAlive: 15}); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = own.Disconnect(&paho.Disconnect{}) }()
		brokertest.Measure(b, requestertest.Payload(0, 1, 1<<10), func(message []byte) error {
			_, err := own.Publish(context.Background(), &paho.Publish{Topic: "brokerbench/bench/0", QoS: 1, Payload: message})
			return err
		})
	})
}
