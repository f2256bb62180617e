package mqtt

import (
	"net"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// rabbitMQ returns the URL of RabbitMQ 4.
func rabbitMQ(t *testing.T) string {
	t.Helper()
	brokertest.NewerURL(t, "RABBITMQ4")
	return brokertest.URL(t, "RABBITMQ4_MQTT")
}

func TestRabbitMQ(t *testing.T) {
	url := rabbitMQ(t)
	for _, options := range []string{"", "qos=1", "qos=1&audit-session=true"} {
		t.Run(options, func(t *testing.T) { requestertest.Run(t, factory(t, url, options)) })
	}
}

func TestRabbitMQIsAudited(t *testing.T) {
	requestertest.AuditReadsAll(t, factory(t, rabbitMQ(t), "qos=1&audit-session=true"), 5000, 100, 1)
}

func TestGroupsOfRabbitMQ(t *testing.T) {
	url := rabbitMQ(t)
	brokertest.Groups(t, factory(t, url, "qos=1"), requester.Topology{Topics: 2, Groups: 3, Members: 1}, 256)
	brokertest.Backlog(t, factory(t, url, "qos=1&persistent-session=true"), requester.Topology{Topics: 2, Groups: 2, Members: 1})
}

// RabbitMQ has neither QoS 2 nor shared subscriptions.
func TestWhatRabbitMQDoesNotHave(t *testing.T) {
	url := rabbitMQ(t)
	brokertest.WantFault(t, requestertest.NewLink(t, factory(t, url, "qos=2"), 0).Begin(), "does not grant QoS of 2", "use a lower qos")
	f := factory(t, url, "qos=1")
	if _, err := requester.Arrange(f, requester.Topology{Topics: 1, Groups: 1, Members: 2}); err != nil {
		t.Fatal(err)
	}
	member, err := f.NewConsumer(requester.Member{}, requester.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantFault(t, member.Setup(t.Context()), "no shared subscriptions", "--members 1")
	if err := member.Teardown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDescribeRabbitMQ(t *testing.T) {
	url := rabbitMQ(t)
	d, err := factory(t, url, "qos=1&management=http://"+brokertest.HostOf(t, brokertest.URL(t, "RABBITMQ4_MANAGEMENT"))).Describe(t.Context())
	if err != nil || d.Product != "RabbitMQ" || !strings.HasPrefix(d.Version, "4.") || d.Durability.Level != requester.Accepted || len(d.Durability.NotVerified) != 0 {
		t.Errorf("%+v, %+v, %v", d, d.Durability, err)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"server-maximum-qos": "1"})
}

// The MQTT of NATS is 3.1.1.
func TestABrokerWithoutMQTT5IsExplained(t *testing.T) {
	host, port, err := net.SplitHostPort(brokertest.Refusing(t))
	if err != nil {
		t.Fatal(err)
	}
	o := &server.Options{Host: host, Port: server.RANDOM_PORT, ServerName: "test", JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	o.MQTT.Host = host
	if o.MQTT.Port, err = net.LookupPort("tcp", port); err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	s.Start()
	if !s.ReadyForConnections(brokertest.Patience) {
		t.Fatal("the NATS server is not ready")
	}
	brokertest.SetupExplains(t, Open, map[string][]string{
		"NATS": {"mqtt://u:geheim@" + net.JoinHostPort(host, port), "MQTT 3.1.1", "refuses MQTT 5", "nats://"},
	})
}
