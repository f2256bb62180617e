package kafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestWatchTellsAnOutageInThreeEvents(t *testing.T) {
	var log requester.EventLog
	w := newWatch(&log)
	one, two := kgo.BrokerMetadata{Host: "a", Port: 1}, kgo.BrokerMetadata{Host: "b", Port: 2}
	w.OnBrokerDisconnect(two, nil) // during Setup: no event
	w.begin()
	for range 3 { // the sockets of one client
		w.OnBrokerDisconnect(one, nil)
	}
	for range 100 {
		w.OnBrokerConnect(one, 0, nil, errors.New("connection refused"))
	}
	for range 3 {
		w.OnBrokerConnect(one, 0, nil, nil)
	}
	w.OnBrokerConnect(two, 0, nil, nil) // a first connection is nothing to tell
	w.fetchError("topic", 0, errors.New("odd"))
	w.fetchError("topic", 0, errors.New("odd"))
	w.end()
	w.OnBrokerDisconnect(one, nil) // Teardown closes them
	wantEvents(t, log.Events(), "disconnected from broker a:1", "connecting to broker a:1: connection refused",
		"connected to broker a:1 again after", "fetching from topic topic, partition 0: odd")
}

func TestWatchTellsTheSecondOutageToo(t *testing.T) {
	var log requester.EventLog
	w := newWatch(&log)
	w.begin()
	for range 2 {
		w.OnBrokerDisconnect(kgo.BrokerMetadata{Host: "a", Port: 1}, nil)
		w.OnBrokerConnect(kgo.BrokerMetadata{Host: "a", Port: 1}, 0, nil, nil)
	}
	wantEvents(t, log.Events(), "disconnected", "connected", "disconnected", "connected")
}

// wantEvents wants exactly those events, by their beginnings.
func wantEvents(t *testing.T, got []requester.Event, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("events %v, want %q", got, want)
	}
	for i, event := range got {
		if !strings.HasPrefix(event.Text, want[i]) {
			t.Errorf("event %d is %q, want %q", i, event.Text, want[i])
		}
	}
}
