package nats

import (
	"errors"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "nats", map[string][]string{
		"nats://h?reconect-wait=1s":            {`did you mean "reconnect-wait"?`},
		"nats://h?reconnect-wait=0s":           {"option reconnect-wait: 0s is not between 1ms and 1h0m0s"},
		"nats://h?reconnect-buffer=0":          {"option reconnect-buffer"},
		"nats://h?write-buffer=0":              {"option write-buffer"},
		"nats://h?no-delay=perhaps":            {`value "perhaps"`},
		"nats://h?tls-insecure=true":           {"scheme nats+tls"},
		"nats://h?tls-handshake-first=true":    {"scheme nats+tls"},
		"nats+tls://h?tls-ca=/nowhere.pem":     {"option tls-ca"},
		"nats://h/subject":                     {"a NATS target has none"},
		"redis://h":                            {`scheme "redis"`},
		"nats:h":                               {"write // after the scheme"},
		"nats://h/x?no-dellay=1&name=a&name=b": {`path "x"`, "no-dellay", "given 2 times"},
	})
	brokertest.OpenRefusesRuns(t, Open, "nats://h")
}

func TestOpenTakesATokenOutOfSight(t *testing.T) {
	for _, url := range []string{"nats://geheim@h", "nats://:geheim@h"} {
		f := openURL(t, url)
		if f.token != "geheim" {
			t.Errorf("Open(%q): token %q", url, f.token)
		}
		if fault := f.Explain("connecting", errors.New("refused as geheim")).Error(); strings.Contains(fault, "geheim") {
			t.Errorf("Open(%q): an error contains the token: %s", url, fault)
		}
	}
	if f := openURL(t, "nats://u:p@h"); f.token != "" || f.Target.User != "u" || f.Target.Password != "p" {
		t.Errorf("user and password are taken for a token: %+v", f)
	}
}

func TestOptionsSayEverything(t *testing.T) {
	brokertest.WantSettings(t, Options("nats"), map[string]string{
		"reconnect-wait": "100ms", "reconnect-buffer": "-1", "write-buffer": "32768", "no-delay": "true", "tls-ca": "", "ping-interval": "2m0s",
	})
}
