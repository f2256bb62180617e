package nats

import (
	"errors"
	"strings"
	"testing"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ url, run, want string }{
		{"nats://h?reconect-wait=1s", "r", `did you mean "reconnect-wait"?`},
		{"nats://h?reconnect-wait=0s", "r", "option reconnect-wait: 0s is not between 1ms and 1h0m0s"},
		{"nats://h?reconnect-buffer=0", "r", "option reconnect-buffer"},
		{"nats://h?write-buffer=0", "r", "option write-buffer"},
		{"nats://h?no-delay=perhaps", "r", `value "perhaps"`},
		{"nats://h?tls-insecure=true", "r", "scheme nats+tls"},
		{"nats+tls://h?tls-ca=/nowhere.pem", "r", "option tls-ca"},
		{"nats://h/subject", "r", "a NATS target has none"},
		{"redis://h", "r", `scheme "redis"`},
		{"nats://h", "a.b", `run "a.b"`},
		{"nats://h", "", `run ""`},
		{"nats:h", "r", "write // after the scheme"},
	}
	for _, tt := range tests {
		_, err := Open(tt.url, tt.run)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%q, %q): %v; want it to say %s", tt.url, tt.run, err, tt.want)
		}
	}
}

func TestOpenReportsEveryMistake(t *testing.T) {
	_, err := Open("nats://h/x?no-dellay=1&name=a&name=b", "*")
	for _, want := range []string{`path "x"`, `run "*"`, "no-dellay", "given 2 times"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want it to say %s", err, want)
		}
	}
}

func TestOpenTakesATokenOutOfSight(t *testing.T) {
	for _, url := range []string{"nats://geheim@h", "nats://:geheim@h"} {
		f, err := Open(url, "r")
		if err != nil {
			t.Fatal(err)
		}
		if f.token != "geheim" {
			t.Errorf("Open(%q): token %q", url, f.token)
		}
		if fault := f.explain("connecting", errors.New("refused as geheim")).Error(); strings.Contains(fault, "geheim") {
			t.Errorf("Open(%q): an error tells the token: %s", url, fault)
		}
	}
	if f, _ := Open("nats://u:p@h", "r"); f.token != "" || f.target.User != "u" || f.target.Password != "p" {
		t.Errorf("user and password are taken for a token: %+v", f)
	}
}

func TestOptionsSayEverything(t *testing.T) {
	defaults := map[string]string{}
	for _, s := range Options("nats") {
		if s.Doc == "" {
			t.Errorf("option %s says nothing about itself", s.Name)
		}
		defaults[s.Name] = s.Value
	}
	for name, want := range map[string]string{
		"reconnect-wait": "100ms", "reconnect-buffer": "-1", "write-buffer": "32768", "no-delay": "true", "tls-ca": "", "ping-interval": "2m0s",
	} {
		if got, ok := defaults[name]; !ok || got != want {
			t.Errorf("option %s: default %q, want %q", name, got, want)
		}
	}
}
