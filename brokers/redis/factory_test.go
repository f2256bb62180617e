package redis

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ url, run, want string }{
		{"redis://h?reconect-wait=1s", "r", `did you mean "reconnect-wait"?`},
		{"redis://h?reconnect-wait=0s", "r", "option reconnect-wait: 0s is not between 1ms and 1h0m0s"},
		{"redis://h?protocol=4", "r", "option protocol: 4 is not between 2 and 3"},
		{"redis://h?no-delay=perhaps", "r", `value "perhaps"`},
		{"redis://h?tls-insecure=true", "r", "scheme rediss"},
		{"rediss://h?tls-ca=/nowhere.pem", "r", "option tls-ca"},
		{"redis://h/zero", "r", "number of a database"},
		{"redis://h/-1", "r", "number of a database"},
		{"redis://h1,h2", "r", "2 hosts: want one"},
		{"redis://u@h", "r", `user "u"`},
		{"nats://h", "r", `scheme "nats"`},
		{"redis://h", "a b", `run "a b"`},
		{"redis://h", "", `run ""`},
	}
	for _, tt := range tests {
		_, err := Open(tt.url, tt.run)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%q, %q): %v; want it to say %s", tt.url, tt.run, err, tt.want)
		}
	}
}

func TestOpenReportsEveryMistake(t *testing.T) {
	_, err := Open("redis://h/x?no-dellay=1&name=a&name=b", "*")
	for _, want := range []string{`path "x"`, `run "*"`, "no-dellay", "given 2 times"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want it to say %s", err, want)
		}
	}
}

func TestOptionsSayEverything(t *testing.T) {
	defaults := map[string]string{}
	for _, s := range Options("redis") {
		if s.Doc == "" {
			t.Errorf("option %s says nothing about itself", s.Name)
		}
		defaults[s.Name] = s.Value
	}
	for name, want := range map[string]string{"reconnect-wait": "100ms", "protocol": "2", "no-delay": "true", "tls-ca": "", "read-buffer": "32768"} {
		if got, ok := defaults[name]; !ok || got != want {
			t.Errorf("option %s: default %q, want %q", name, got, want)
		}
	}
}

func TestPubsubLimit(t *testing.T) {
	tests := []struct {
		value string
		want  int64
	}{
		{"normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", 33554432},
		{"pubsub 0 0 0", 0},
		{"normal 0 0 0", 0},
		{"pubsub", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got := pubsubLimit(tt.value); got != tt.want {
			t.Errorf("pubsubLimit(%q) = %d, want %d", tt.value, got, tt.want)
		}
	}
}

func TestStampsAreAQueue(t *testing.T) {
	var s stamps
	next, oldest := uint64(0), uint64(0)
	for round := range 300 { // two in, one out: it grows while its head moves
		for range 2 {
			s.push(brokertest.Payload(7, next, 100))
			next++
		}
		if round%3 == 0 {
			continue
		}
		got, ok := s.pop()
		if want := brokertest.Payload(7, oldest, 16); !ok || string(got[:]) != string(want) {
			t.Fatalf("pop = %v %v, want stamp %d", got, ok, oldest)
		}
		oldest++
	}
	for ; oldest < next; oldest++ {
		if got, ok := s.pop(); !ok || string(got[:]) != string(brokertest.Payload(7, oldest, 16)) {
			t.Fatalf("pop = %v %v, want stamp %d", got, ok, oldest)
		}
	}
	if _, ok := s.pop(); ok {
		t.Error("pop of an empty queue is ok")
	}
}
