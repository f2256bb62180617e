package brokers_test

import (
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// share returns what consumes a queue beside brokerbench and acknowledges nothing. It is called
// when Setup has its probe back; its messages go back to the queue that long after.
func share(t *testing.T, url, queue string, back time.Duration) func(start time.Time) {
	t.Helper()
	c, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return func(time.Time) {
		channel, err := c.Channel()
		if err != nil {
			t.Error(err)
			return
		}
		deliveries, err := channel.Consume(queue, "", false, false, false, false, nil)
		if err != nil {
			t.Error(err)
			return
		}
		time.AfterFunc(back, func() { _ = c.Close() })
		go func() {
			for range deliveries {
			}
		}()
	}
}

// Half of the messages go to a stranger who acknowledges none. A message that he gives back while the
// audit looks for it was not lost, and what he keeps is not decided.
func TestWhatAStrangerHoldsIsNotLost(t *testing.T) {
	url := brokertest.URL(t, "RABBITMQ")
	for name, tt := range map[string]struct {
		back time.Duration // after the first message
		want func(*results.Audit) bool
	}{
		"given back": {8 * time.Second, func(a *results.Audit) bool { return a.Error == "" && a.Missing == 0 && a.Kept > 20 }},
		"kept": {time.Hour, func(a *results.Audit) bool {
			return strings.HasPrefix(a.Error, "not decided: ") && strings.Contains(a.Error, "held by a consumer") && a.Missing > 20 && a.TookNS < int64(time.Minute)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of, err := brokers.All().Parse(brokertest.With(url, "confirm=true&durable=true&queue-type=quorum&prefetch=10"))
			if err != nil {
				t.Fatal(err)
			}
			run := "stranger" + old()
			f, err := of.Open(run)
			if err != nil {
				t.Fatal(err)
			}
			cell := plan.Cell{Shape: plan.Shape{Rate: 200, Size: 64, Connections: 1}, Settings: plan.Settings{Duration: 3 * time.Second, Timeout: time.Second, Audit: true}}
			c, err := measure.Cell(t.Context(), f, cell, measure.Options{
				Redact: func(text string) string { return text }, Started: share(t, url, target.Name(run, 0), tt.back),
			})
			if err != nil {
				t.Fatal(err)
			}
			if a := c.Audit; a == nil || !tt.want(a) || a.Acked != a.Delivered+a.Kept+a.Missing {
				t.Errorf("%+v", a)
			}
		})
	}
}
