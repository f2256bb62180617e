package mqtt

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "mqtt", map[string][]string{
		"mqtt":                               {"scheme"},
		"amqp://h":                           {`scheme "amqp": want mqtt or mqtts`},
		"mqtt://h/topic":                     {`path "topic"`, "each run makes its own topics"},
		"mqtt://u:geheim@h?quos=1":           {"mqtt://u:xxxxx@h", `unknown option "quos"`, `"qos"`},
		"mqtt://h?qos=3&receive-maximum=0":   {"option qos: 3 is not between 0 and 2", "receive-maximum: 0 is not between 1 and 65535"},
		"mqtt://h?qos=one":                   {"option qos"},
		"mqtt://h?audit-session=true":        {"audit-session=true needs qos=1 or 2"},
		"mqtt://h?keep-alive=10ms":           {"keep-alive: 10ms is not between 1s"},
		"mqtt://h?keep-alive=1500ms":         {"keep-alive: 1.5s: want whole seconds"},
		"mqtt://h?reconnect-wait=0s":         {"reconnect-wait"},
		"mqtt://h?management=h:15672":        {"management"},
		"mqtt://h?tls-insecure=true":         {"tls-*", "need the scheme mqtts"},
		"mqtts://h?tls-ca=/nowhere.pem":      {"tls-ca", "/nowhere.pem"},
		"mqtt://h?durability=process&qos=0":  {"durability=process", "back none at most", "it needs qos=1"},
		"mqtt://h?durability=none&qos=1":     {"durability=none", "none needs qos=0"},
		"mqtt://h?durability=forever&qos=17": {"durability"},
	})
	brokertest.OpenRefusesRuns(t, Open, "mqtt://h")
}

func TestOpenAccepts(t *testing.T) {
	for _, url := range []string{
		"mqtt://h", "MQTT://h1:1,h2", "mqtts://u:p@h?tls-insecure=true&tls-server-name=x", "mqtt:",
		"mqtt://h?qos=2&audit-session=true&keep-alive=0&tcp-nodelay=false",
	} {
		if _, err := Open(url, "20261121-1200_a-b"); err != nil {
			t.Error(err)
		}
	}
}

func TestOptionsHaveDefaultsAndDocumentation(t *testing.T) {
	brokertest.WantSettings(t, Options(schemeTLS), map[string]string{
		"qos": "0", "audit-session": "false", "receive-maximum": "8192", "keep-alive": "15s", "reconnect-wait": "100ms",
		"tcp-nodelay": "true", "tls-insecure": "false",
	})
}

func TestDurabilitySetsOptions(t *testing.T) {
	brokertest.LevelsOpen(t, Open, "mqtt://h", Levels())
	if f := factory(t, "mqtt://h", "durability=accepted"); f.options.qos != 1 || f.options.auditSession {
		t.Errorf("%+v", f.options)
	}
}

// Mosquitto is asked for no more than it has, and of others it is said that nothing is known.
func TestWhatAProductBacks(t *testing.T) {
	for options, want := range map[string]struct {
		product string
		level   requester.Durability
		says    string
	}{
		"":                   {"mosquitto version 2.0.21", requester.None, ""},
		"qos=1":              {"mosquitto version 2.0.21", requester.Accepted, "before it writes its file"},
		"qos=2":              {"", requester.Accepted, "is not known"},
		"durability=process": {"mosquitto version 2.0.21", requester.Accepted, "before it writes its file"},
	} {
		f := factory(t, "mqtt://h", options)
		_, _, limit := product(want.product)
		b, err := f.options.durability.Back(f.options.backs(), limit)
		if b.Level != want.level || b.Limit != "" != (want.says != "") || (err != nil) != (options == "durability=process") {
			t.Errorf("%s: %+v, %v", options, b, err)
		}
		if err != nil {
			brokertest.WantError(t, f.Explain("asking", err), want.says, "accepted at most", "ask for durability=accepted")
		}
	}
	f := factory(t, "mqtt://h", "durability=machine")
	_, _, limit := product("Another 1.2")
	b, err := f.options.durability.Back(f.options.backs(), limit)
	if err != nil || b.Level != requester.Machine || len(b.NotVerified) != 1 {
		t.Errorf("another product: %+v, %v", b, err)
	}
}

func TestProduct(t *testing.T) {
	for text, want := range map[string][2]string{
		"mosquitto version 2.0.21": {"Mosquitto", "2.0.21"}, "": {"MQTT broker", ""}, "Another 1.2": {"MQTT broker", "Another 1.2"},
	} {
		if name, version, _ := product(text); name != want[0] || version != want[1] {
			t.Errorf("%q: %q, %q", text, name, version)
		}
	}
}
