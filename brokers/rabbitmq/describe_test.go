package rabbitmq

import (
	"encoding/json"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/target"

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
		in := map[string]string{}
		for _, s := range d.Settings {
			in[s.Name] = s.Value
		}
		if in["prefetch"] != "7" || in["confirm"] != "false" || in["queue-type"] != "classic" {
			t.Errorf("settings %v", in)
		}
		if in["frame-size"] == "100000000" || in["heartbeat"] == "0s" {
			t.Errorf("frame-size %s and heartbeat %s are not what was negotiated", in["frame-size"], in["heartbeat"])
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
	_, err := factory(t, "amqp://u:geheim@127.0.0.1:1", "").Describe(t.Context())
	wantError(t, err, "amqp://u:xxxxx@127.0.0.1:1", "connecting", "connection refused", "start the broker")
}
