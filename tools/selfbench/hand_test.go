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
	l := newLoop(bench{warmup: 5 * time.Millisecond, window: 20 * time.Millisecond}, 1000, 1)
	l.spin = 50 * time.Microsecond
	return l
}

// echoing dials a link that answers at once. It does not answer message number
// silent, and returns an error for number broken. The probe is number 0.
func echoing(silent, broken int) (connect dial, published, closed *int) {
	published, closed = new(int), new(int)
	return func(_ context.Context, _ string, received, acked func()) (link, error) {
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
					acked()
				}
				return nil
			},
			close: func() { *closed++ },
		}, nil
	}, published, closed
}

func TestTheLoopSendsEveryMessageOnceAndNeverEarly(t *testing.T) {
	connect, published, closed := echoing(-1, -1)
	took, err := quick().acknowledged().run(t.Context(), connect, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *published, 1+25; got != want {
		t.Errorf("%d messages were published, want %d: a probe and the rest", got, want)
	}
	for i, times := range [][]time.Duration{took.responses, took.acks} {
		if got, want := len(times), 20; got != want {
			t.Fatalf("%d times of kind %d, want %d: those after the warm-up", got, i, want)
		}
		if earliest := slices.Min(times); earliest <= 0 {
			t.Errorf("a message was answered %v before it was due", -earliest)
		}
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
		{"the probe is lost", 0, -1, "probe: no reply within"},
		{"the probe is refused", -1, 0, "broken"},
		{"a message is lost", 7, -1, "by hand: no reply within"},
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

// A loop that waits for acknowledgements misses each; one that does not, none.
func TestTheLoopMissesAcknowledgements(t *testing.T) {
	for silent, want := range []string{"probe: no acknowledgement within", "by hand: no acknowledgement within"} {
		connect, _, _ := echoing(-1, -1)
		l := quick().acknowledged()
		l.patience = 10 * time.Millisecond
		_, err := l.run(t.Context(), mute(connect, silent), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("message %d is not acknowledged: got error %v, want %q", silent, err, want)
		}
	}
	connect, _, _ := echoing(-1, -1)
	took, err := quick().run(t.Context(), mute(connect, 3), "")
	if err != nil || took.acks != nil || len(took.responses) != 20 {
		t.Errorf("%d acknowledgements, %d responses, error %v", len(took.acks), len(took.responses), err)
	}
}

// mute returns a dial whose link does not acknowledge message number silent.
func mute(connect dial, silent int) dial {
	return func(ctx context.Context, url string, received, acked func()) (link, error) {
		n := 0
		return connect(ctx, url, received, func() {
			if n++; n != silent+1 {
				acked()
			}
		})
	}
}

func TestQuantilesAreRanks(t *testing.T) {
	times := make([]time.Duration, 1000)
	for i := range times {
		times[i] = time.Duration(999 - i)
	}
	if got, want := quantiles(times, 0, 50, 99, 99.9, 100), []float64{0, 500, 990, 999, 999}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := quantiles([]time.Duration{7}, 50, 100); !slices.Equal(got, []float64{7, 7}) {
		t.Errorf("of one: %v", got)
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

func TestEveryClientByHand(t *testing.T) {
	for name, connect := range map[string]dial{
		"nats": natsByHand, "redis": redisByHand, "rabbitmq": rabbitmqByHand("", 0), "kafka": kafkaByHand,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := quick().run(t.Context(), connect, realBroker(t, name)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestEveryModeByHand(t *testing.T) {
	for _, m := range modes() {
		t.Run(m.what, func(t *testing.T) {
			took, err := quick().acknowledged().run(t.Context(), m.byHand, realBroker(t, m.broker))
			if err != nil {
				t.Fatal(err)
			}
			if len(took.acks) != 20 || len(took.responses) != 20 || slices.Min(took.acks) <= 0 || slices.Min(took.responses) <= 0 {
				t.Errorf("%+v", took)
			}
		})
	}
}

func TestKafkaByHandLeavesNoTopic(t *testing.T) {
	url := realBroker(t, "kafka")
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
	var b bench
	b.find(t.Context(), os.Getenv)
	found := b.brokers[name]
	switch {
	case found.missing != "" && os.Getenv("BROKERBENCH_REQUIRE_BROKERS") == "1":
		t.Fatalf("NO REAL BROKER: %s, and all brokers are required", found.missing)
	case found.missing != "":
		t.Skipf("NO REAL BROKER: %s; see deploy/local/brokers", found.missing)
	}
	return found.url
}
