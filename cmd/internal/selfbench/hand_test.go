//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// quick makes a loop of 5 + 20 messages.
func quick() *loop {
	return newLoop(1000, 5*time.Millisecond, 20*time.Millisecond, 50*time.Microsecond)
}

// echoing dials a link that answers at once. It does not answer message number
// silent, and returns an error for number broken. The probe is number 0.
func echoing(silent, broken int) (connect dial, published, closed *int) {
	published, closed = new(int), new(int)
	return func(_ context.Context, _ string, received func()) (link, error) {
		return link{
			publish: func([]byte) error {
				n := *published
				*published++
				switch n {
				case silent:
				case broken:
					return errors.New("broken")
				default:
					received()
				}
				return nil
			},
			close: func() { *closed++ },
		}, nil
	}, published, closed
}

func TestTheLoopSendsEveryMessageOnceAndNeverEarly(t *testing.T) {
	connect, published, closed := echoing(-1, -1)
	l := quick()
	median, err := l.run(t.Context(), connect, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *published, 1+25; got != want {
		t.Errorf("%d messages were published, want %d: a probe and the rest", got, want)
	}
	if got, want := len(l.response), 25; got != want {
		t.Errorf("%d responses, want %d", got, want)
	}
	for i, response := range l.response {
		if response < 0 {
			t.Errorf("message %d was answered %v before it was due", i, -response)
		}
	}
	if median <= 0 {
		t.Errorf("median %v", median)
	}
	if *closed != 1 {
		t.Errorf("closed %d times, want once", *closed)
	}
}

func TestTheLoopReportsWhatWentWrong(t *testing.T) {
	for _, tc := range []struct {
		name           string
		silent, broken int
		want           string
	}{
		{"the probe is lost", 0, -1, "no reply to the probe within"},
		{"the probe is refused", -1, 0, "broken"},
		{"a message is lost", 7, -1, "no last reply within"},
		{"a message is refused", -1, 7, "broken"},
	} {
		connect, _, closed := echoing(tc.silent, tc.broken)
		l := quick()
		l.patience = 10 * time.Millisecond
		_, err := l.run(t.Context(), connect, "")
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got error %v, want %q", tc.name, err, tc.want)
		}
		if *closed != 1 {
			t.Errorf("%s: closed %d times, want once", tc.name, *closed)
		}
	}
}

func TestTheLoopEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	connect, _, _ := echoing(7, -1)
	if _, err := quick().run(ctx, connect, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestEveryClientByHand sends a few messages through each real broker.
func TestEveryClientByHand(t *testing.T) {
	for name, connect := range map[string]dial{
		"NATS": natsByHand, "REDIS": redisByHand, "RABBITMQ": rabbitmqByHand, "KAFKA": kafkaByHand,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := quick().run(t.Context(), connect, realBroker(t, name)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestKafkaByHandLeavesNoTopic(t *testing.T) {
	url := realBroker(t, "KAFKA")
	before := topics(t, url)
	if _, err := quick().run(t.Context(), kafkaByHand, url); err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics(t, url) {
		if strings.HasPrefix(topic, "selfbench") && !slices.Contains(before, topic) {
			t.Errorf("topic %s is left", topic)
		}
	}
}

// topics returns the names of Kafka's topics.
func topics(t *testing.T, url string) []string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(kafkaHosts(url)...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	listed, err := kadm.NewClient(client).ListTopics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return listed.Names()
}

// realBroker returns the URL of a real broker, or skips the test without one.
func realBroker(t *testing.T, name string) string {
	t.Helper()
	variable := "BROKERBENCH_" + name + "_URL"
	url := os.Getenv(variable)
	switch {
	case url == "" && os.Getenv("BROKERBENCH_REQUIRE_BROKERS") == "1":
		t.Fatalf("NO REAL BROKER: %s is not set, and all brokers are required", variable)
	case url == "":
		t.Skipf("NO REAL BROKER: %s is not set; see deploy/local/brokers", variable)
	}
	return url
}
