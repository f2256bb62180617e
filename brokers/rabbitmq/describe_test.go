package rabbitmq

import (
	"encoding/json"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/target"
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
		brokertest.WantSettings(t, d.Settings, map[string]string{"prefetch": "7", "confirm": "false", "queue-type": "classic"})
		for _, s := range d.Settings {
			if s.Name == "frame-size" && s.Value == "100000000" || s.Name == "heartbeat" && s.Value == "0s" {
				t.Errorf("%s %s is not what was negotiated", s.Name, s.Value)
			}
		}
		told, _ := json.Marshal(d)
		if password := f.target.Password; name == "RABBITMQ_TLS" && strings.Contains(string(told), password) {
			t.Errorf("the description tells the password: %s", told)
		}
		again, _ := f.Describe(t.Context())
		if f.settings[0] != again.Settings[0] || len(f.settings) != len(again.Settings) {
			t.Error("Describe changed the factory")
		}
	}
}

func TestClientVersionIsTheModuleBuiltIn(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Skip("no build information in this binary")
	}
	if got := target.Client(clientModule, ""); !regexp.MustCompile(`^github\.com/rabbitmq/amqp091-go@v1\.\d+\.\d+`).MatchString(got) {
		t.Errorf("client %q", got)
	}
}

func TestDescribeExplains(t *testing.T) {
	brokertest.DescribeExplains(t, factory(t, "amqp://u:geheim@"+brokertest.Refusing(t), ""))
}
