package rabbitmq

import (
	"strings"
	"testing"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		url  string
		says []string
	}{
		{"amqp", []string{"scheme"}},
		{"nats://h", []string{`scheme "nats": want amqp or amqps`}},
		{"amqp://u:geheim@h?prefech=1", []string{"amqp://u:xxxxx@h", `unknown option "prefech"`, `"prefetch"`}},
		{"amqp://h?durable=maybe&prefetch=x", []string{"option durable", "option prefetch"}},
		{"amqp://h?queue-type=stream", []string{"queue-type", "classic, quorum"}},
		{"amqp://h?exchange=headers", []string{"exchange", "default, direct, fanout, topic"}},
		{"amqp://h?queue-type=quorum", []string{"queue-type=quorum needs durable=true"}},
		{"amqp://h?persistent=true", []string{"persistent=true needs durable=true"}},
		{"amqp://h?queue-type=quorum&persistent=true&prefetch=-1", []string{"queue-type", "persistent", "prefetch"}},
		{"amqp://h?prefetch=65536", []string{"prefetch: 65536 is not between 0 and 65535"}},
		{"amqp://h?max-length=-1", []string{"max-length"}},
		{"amqp://h?heartbeat=10ms", []string{"heartbeat: 10ms is not between 1s"}},
		{"amqp://h?reconnect-wait=0s", []string{"reconnect-wait"}},
		{"amqp://h?frame-size=100", []string{"frame-size: 100 is not between 4096"}},
		{"amqp://h?tls-insecure=true", []string{"tls-*", "need the scheme amqps"}},
		{"amqps://h?tls-ca=/nowhere.pem", []string{"tls-ca", "/nowhere.pem"}},
	}
	for _, tt := range tests {
		_, err := Open(tt.url, "run")
		if err == nil {
			t.Errorf("Open(%q): no error", tt.url)
			continue
		}
		for _, part := range append(tt.says, "brokers/rabbitmq") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("Open(%q): %v; want it to say %q", tt.url, err, part)
			}
		}
		if strings.Contains(err.Error(), "geheim") {
			t.Errorf("Open(%q) tells the password: %v", tt.url, err)
		}
	}
}

func TestOpenRefusesRunsThatNameNoQueue(t *testing.T) {
	for _, run := range []string{"", "a b", "a/b", strings.Repeat("x", 201)} {
		if _, err := Open("amqp://h", run); err == nil || !strings.Contains(err.Error(), "run") {
			t.Errorf("Open with run %q: %v", run, err)
		}
	}
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
	defaults := map[string]string{
		"queue-type": "classic", "durable": "false", "max-length": "0", "exchange": "default", "persistent": "false",
		"mandatory": "true", "confirm": "false", "prefetch": "0", "separate-connections": "false", "heartbeat": "10s",
		"reconnect-wait": "100ms", "frame-size": "131072", "tls-insecure": "false",
	}
	for _, s := range Options(schemeTLS) {
		if s.Doc == "" {
			t.Errorf("option %s has no documentation", s.Name)
		}
		if want, ok := defaults[s.Name]; ok && s.Value != want {
			t.Errorf("option %s is %s by default, want %s", s.Name, s.Value, want)
		}
		delete(defaults, s.Name)
	}
	if len(defaults) > 0 {
		t.Errorf("no options %v", defaults)
	}
}

func TestVhost(t *testing.T) {
	for url, want := range map[string]string{"amqp://h": "/", "amqp://h/": "/", "amqp://h/%2F": "/", "amqp://h/v": "v", "amqp://h/%2Fv": "/v", "amqp://h/a/b": "a/b"} {
		if got := factory(t, url, "").vhost(); got != want {
			t.Errorf("vhost of %s is %q, want %q", url, got, want)
		}
	}
}
