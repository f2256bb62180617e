package rabbitmq

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestDescribe(t *testing.T) {
	for _, name := range []string{"RABBITMQ", "RABBITMQ_TLS"} {
		f := factory(t, brokertest.URL(t, name), "prefetch=7&heartbeat=0&frame-size=100000000")
		d, err := f.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d.Product != "RabbitMQ" || !regexp.MustCompile(`^\d+\.\d+\.\d+`).MatchString(d.Version) {
			t.Errorf("product %q, version %q", d.Product, d.Version)
		}
		if !strings.HasPrefix(d.Client, clientModule) {
			t.Errorf("client %q", d.Client)
		}
		brokertest.WantSettings(t, d.Settings, map[string]string{"prefetch": "7", "confirm": "false", "queue-type": "classic"})
		for _, s := range d.Settings {
			if s.Name == "frame-size" && s.Value == "100000000" || s.Name == "heartbeat" && s.Value == "0s" {
				t.Errorf("%s %s is not what was negotiated", s.Name, s.Value)
			}
		}
		told, _ := json.Marshal(d)
		if password := f.broker.Target.Password; name == "RABBITMQ_TLS" && strings.Contains(string(told), password) {
			t.Errorf("the description tells the password: %s", told)
		}
		again, _ := f.Describe(t.Context())
		if f.broker.Settings[0] != again.Settings[0] || len(d.Settings) != len(again.Settings) {
			t.Error("Describe changed the factory")
		}
	}
}

func TestDescribeExplains(t *testing.T) {
	brokertest.DescribeExplains(t, factory(t, "amqp://u:geheim@"+brokertest.Refusing(t), ""))
}
