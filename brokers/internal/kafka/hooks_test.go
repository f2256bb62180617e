package kafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestHooksNoteAnOutageOfABroker(t *testing.T) {
	var got []string
	h := &hooks{ConnLog: transport.NewConnLog(func(text string) { got = append(got, text) })}
	one, two := kgo.BrokerMetadata{Host: "a", Port: 1}, kgo.BrokerMetadata{Host: "b", Port: 2}
	h.Begin()
	for range 3 { // the sockets of one client
		h.OnBrokerDisconnect(one, nil)
	}
	for range 100 {
		h.OnBrokerConnect(one, 0, nil, errors.New("connection refused"))
	}
	for range 3 {
		h.OnBrokerConnect(one, 0, nil, nil)
	}
	h.OnBrokerConnect(two, 0, nil, nil) // a first connection is no event
	h.fetchError("topic", 0, errors.New("odd"))
	h.fetchError("topic", 0, errors.New("odd"))
	want := []string{
		"disconnected from broker a:1", "connecting to broker a:1: connection refused",
		"connected to broker a:1 again after", "fetching from topic topic, partition 0: odd",
	}
	if len(got) != len(want) {
		t.Fatalf("events %v, want %q", got, want)
	}
	for i, event := range got {
		if !strings.HasPrefix(event, want[i]) {
			t.Errorf("event %d is %q, want %q", i, event, want[i])
		}
	}
}
