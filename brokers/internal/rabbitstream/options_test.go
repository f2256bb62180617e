package rabbitstream

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, name, map[string][]string{
		"rabbitmq-stream://h?credit=10":                  {`did you mean "credit`},
		"rabbitmq-stream://h?credits=3":                  {"option credits: 3 is not between 4 and 32767"},
		"rabbitmq-stream://h?batch-size=0&heartbeat=1s":  {"option batch-size", "option heartbeat"},
		"rabbitmq-stream://h?sub-entry-size=2":           {"needs a batch-size"},
		"rabbitmq-stream://h?max-pending=100":            {"option max-pending"},
		"rabbitmq-stream://h?max-length=-1&frame-size=1": {"option max-length", "option frame-size"},
		"rabbitmq-stream://h?tls-insecure=true":          {"scheme rabbitmq-stream+tls"},
		"rabbitmq-stream+tls://h?tls-ca=/nowhere.pem":    {"option tls-ca"},
		"amqp://h": {`scheme "amqp"`},
		"rabbitmq-stream://u:" + brokertest.Secret + "@h?x=1&x=2": {`unknown option "x"`},
	})
	brokertest.OpenRefusesRuns(t, Open, "rabbitmq-stream://h")
}

func TestOptionsSayEverything(t *testing.T) {
	brokertest.WantSettings(t, Options(scheme), map[string]string{"batch-size": "1", "credits": "1000", "credit-each": "false", "reconnect-wait": "100ms"})
	brokertest.WantSettings(t, fixed, map[string]string{"linger": "none", "confirm": "true"})
}

// The client puts user, password and vhost into a URL as they are.
func TestEnvironmentEscapes(t *testing.T) {
	f, err := Open("rabbitmq-stream://u%40:p%2F%3F%40@[::1]/a%2Fb", "run")
	if err != nil {
		t.Fatal(err)
	}
	options, err := f.environment(f.broker.Addrs()[0])
	if err != nil {
		t.Fatal(err)
	}
	got := *options.ConnectionParameters[0]
	want := stream.Broker{Scheme: scheme, Host: "[::1]", Port: "5552", User: "u%40", Password: "p%2F%3F%40", Vhost: "a%252Fb"}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
