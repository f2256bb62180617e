package amqp1

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "amqp1", map[string][]string{
		"amqp1":                              {"scheme"},
		"amqp://h":                           {`scheme "amqp": want amqp1 or amqp1s`},
		"amqp1://u:geheim@h?credits=1":       {"amqp1://u:xxxxx@h", `unknown option "credits"`, `"credit"`},
		"amqp1://h?durable=maybe&credit=x":   {"option durable", "option credit"},
		"amqp1://h?queue-type=stream":        {"queue-type", "classic, quorum"},
		"amqp1://h?queue-type=quorum":        {"queue-type=quorum needs durable=true"},
		"amqp1://h?persistent=true&credit=1": {"persistent=true needs durable=true", "credit: 1 is not between 2 and 65535"},
		"amqp1://h?max-length=-1":            {"max-length"},
		"amqp1://h?idle-timeout=10ms":        {"idle-timeout: 10ms is not between 2s"},
		"amqp1://h?reconnect-wait=0s":        {"reconnect-wait"},
		"amqp1://h?frame-size=100":           {"frame-size: 100 is not between 4096"},
		"amqp1://h?tls-insecure=true":        {"tls-*", "need the scheme amqp1s"},
		"amqp1s://h?tls-ca=/nowhere.pem":     {"tls-ca", "/nowhere.pem"},
	})
	brokertest.OpenRefusesRuns(t, Open, "amqp1://h")
}

func TestOpenAccepts(t *testing.T) {
	for _, url := range []string{
		"amqp1://h", "AMQP1://h1:1,h2/vhost", "amqp1s://u:p@h?tls-insecure=true&tls-server-name=x",
		"amqp1:?durable=true&queue-type=quorum&persistent=true&idle-timeout=0&confirm=1",
	} {
		if _, err := Open(url, "20261121-1200_a-b"); err != nil {
			t.Error(err)
		}
	}
}

func TestOptionsHaveDefaultsAndDocumentation(t *testing.T) {
	brokertest.WantSettings(t, Options(schemeTLS), map[string]string{
		"queue-type": "classic", "durable": "false", "max-length": "0", "persistent": "false", "confirm": "false", "accept": "false",
		"credit": "1000", "idle-timeout": "15s", "reconnect-wait": "100ms", "frame-size": "131072", "tls-insecure": "false",
	})
}

func TestVhost(t *testing.T) {
	for url, want := range map[string]string{"amqp1://h": "/", "amqp1://h/": "/", "amqp1://h/%2F": "/", "amqp1://h/v": "v", "amqp1://h/%2Fv": "/v"} {
		if got := factory(t, url, "").broker.Vhost(); got != want {
			t.Errorf("vhost of %s is %q, want %q", url, got, want)
		}
	}
}

// What is not measured goes over AMQP 0-9-1, to the same place and with the same TLS.
func TestOver091(t *testing.T) {
	for url, want := range map[string]string{
		"amqp1://u:p@h:1,i/v?credit=9":                           "amqp://u:xxxxx@h:1,i/v",
		"amqp1s://h?tls-insecure=true&durable=1&frame-size=6000": "amqps://h?durable=1&tls-insecure=true",
	} {
		if got := over091(factory(t, url, "").broker.Target).String(); got != want {
			t.Errorf("%s is %s, want %s", url, got, want)
		}
	}
}

func TestTooOld(t *testing.T) {
	for version, want := range map[string]bool{"3.13.7": true, "4.0.5": false, "10.1": false, "": false, "unknown": false} {
		if got := tooOld(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestDurabilitySetsOptions(t *testing.T) {
	brokertest.LevelsOpen(t, Open, "amqp1://h", Levels())
	f := factory(t, "amqp1://h", "durability=process")
	if !f.options.queue.Durable || !f.options.confirm || !f.options.queue.Persistent || f.Store().Consuming {
		t.Errorf("%+v", f.options)
	}
}
