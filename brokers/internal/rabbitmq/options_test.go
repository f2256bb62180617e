package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "rabbitmq", map[string][]string{
		"amqp":                              {"scheme"},
		"nats://h":                          {`scheme "nats": want amqp or amqps`},
		"amqp://u:geheim@h?prefech=1":       {"amqp://u:xxxxx@h", `unknown option "prefech"`, `"prefetch"`},
		"amqp://h?durable=maybe&prefetch=x": {"option durable", "option prefetch"},
		"amqp://h?queue-type=stream":        {"queue-type", "classic, quorum"},
		"amqp://h?exchange=headers":         {"exchange", "default, direct, fanout, topic"},
		"amqp://h?queue-type=quorum":        {"queue-type=quorum needs durable=true"},
		"amqp://h?persistent=true":          {"persistent=true needs durable=true"},
		"amqp://h?queue-type=quorum&persistent=true&prefetch=-1": {"queue-type", "persistent", "prefetch"},
		"amqp://h?prefetch=65536":                                {"prefetch: 65536 is not between 0 and 65535"},
		"amqp://h?durability=process&exchange=default":           {"durability=process needs exchange=fanout, direct or topic"},
		"amqp://h?max-length=-1":                                 {"max-length"},
		"amqp://h?heartbeat=10ms":                                {"heartbeat: 10ms is not between 1s"},
		"amqp://h?reconnect-wait=0s":                             {"reconnect-wait"},
		"amqp://h?frame-size=100":                                {"frame-size: 100 is not between 4096"},
		"amqp://h?tls-insecure=true":                             {"tls-*", "need the scheme amqps"},
		"amqps://h?tls-ca=/nowhere.pem":                          {"tls-ca", "/nowhere.pem"},
	})
	brokertest.OpenRefusesRuns(t, Open, "amqp://h")
}

func TestOpenAccepts(t *testing.T) {
	for _, url := range []string{
		"amqp://h", "AMQP://h1:1,h2/vhost", "amqps://u:p@h?tls-insecure=true&tls-server-name=x",
		"amqp:?durable=true&queue-type=quorum&persistent=true&heartbeat=0&confirm=1",
	} {
		if _, err := Open(url, "20261121-1200_a-b"); err != nil {
			t.Error(err)
		}
	}
}

func TestOptionsHaveDefaultsAndDocumentation(t *testing.T) {
	brokertest.WantSettings(t, Options(schemeTLS), map[string]string{
		"queue-type": "classic", "durable": "false", "max-length": "0", "exchange": "default", "persistent": "false",
		"mandatory": "true", "confirm": "false", "prefetch": "0", "separate-connections": "false", "heartbeat": "10s",
		"reconnect-wait": "100ms", "frame-size": "131072", "tls-insecure": "false",
	})
}

func TestVhost(t *testing.T) {
	for url, want := range map[string]string{"amqp://h": "/", "amqp://h/": "/", "amqp://h/%2F": "/", "amqp://h/v": "v", "amqp://h/%2Fv": "/v", "amqp://h/a/b": "a/b"} {
		if got := factory(t, url, "").broker.Vhost(); got != want {
			t.Errorf("vhost of %s is %q, want %q", url, got, want)
		}
	}
}
