//go:build linux

package main

import (
	"testing"
	"time"
)

// The options of each mode make a valid target, regardless of those in the broker's URL.
func TestModesAreTargets(t *testing.T) {
	urls := map[string]string{
		"nats": "nats://h:1?name=x", "redis": "redis://h:1/2", "rabbitmq": "amqp://u:p@h:1/v", "kafka": "kafka://a:1,b:1?acks=all",
	}
	for _, m := range modes() {
		if _, err := open(withOptions(urls[m.broker], m.options)); err != nil {
			t.Errorf("%s: %v", m.what, err)
		}
	}
	if _, err := open(withOptions(urls["rabbitmq"], auditQueue)); err != nil {
		t.Error(err)
	}
}

func TestEveryModeOfBrokerbench(t *testing.T) {
	for _, m := range modes() {
		t.Run(m.what, func(t *testing.T) {
			b := bench{warmup: 20 * time.Millisecond, window: 100 * time.Millisecond}
			got, err := m.part().run(t.Context(), b, realBroker(t, m.broker))
			if err != nil || len(got) != 4 || got[0] <= 0 || got[2] <= 0 {
				t.Errorf("%v, %v, want ack p50, p99, delivery p50, p99", got, err)
			}
		})
	}
}

// A target that acknowledges nothing has no such figures.
func TestDurablyWantsAcknowledgements(t *testing.T) {
	b := bench{window: 20 * time.Millisecond}
	if c, err := durably(t.Context(), cellAt(b, "loopback:", 1000, 1)); err == nil {
		t.Errorf("got %+v of a target that acknowledges nothing", c.AckLedger)
	}
}

func TestFloodsAreWhole(t *testing.T) {
	b := newBench("", true)
	for name, run := range map[string]round{"loopback": floodLoopback, "acknowledgements": floodAcks} {
		if got, err := run(t.Context(), b, ""); err != nil || len(got) != 2 || got[1] > 0.1 {
			t.Errorf("%s: %v, %v, want a time and no allocations", name, got, err)
		}
	}
}
