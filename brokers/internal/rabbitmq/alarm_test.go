package rabbitmq

import (
	"context"
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// make faults has the same with a real broker and its alarm.
func TestAProbeThatAnAlarmBlocksSaysSo(t *testing.T) {
	f := factory(t, "amqp://127.0.0.1:1", "")
	on, off := amqp.Blocking{Active: true, Reason: "low on memory"}, amqp.Blocking{}
	for _, tc := range []struct {
		name  string
		heard []amqp.Blocking
		parts []string
	}{
		{"blocked", []amqp.Blocking{on}, []string{"probing", "the broker takes no messages: low on memory", "free memory or disk"}},
		{"blocked twice", []amqp.Blocking{on, off, on}, []string{"low on memory"}},
		{"not any more", []amqp.Blocking{on, off}, []string{"deadline exceeded", "no answer in time"}},
		{"never", nil, []string{"deadline exceeded", "no answer in time"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newConn(f, 0, requester.Sink{Event: func(string) {}})
			l := &link{conn: c, consumer: &consumer{}, alarms: make(chan amqp.Blocking)}
			l.publisher.Store(&publisher{})
			ctx, cancel := context.WithCancel(t.Context())
			watched := make(chan error)
			go func() { watched <- l.watch(ctx) }()
			for _, state := range tc.heard {
				l.alarms <- state
			}
			cancel()
			<-watched
			err := fmt.Errorf("%w: %w", transport.ErrNotBack, context.DeadlineExceeded)
			brokertest.WantError(t, c.Explain("probing", err), tc.parts...)
		})
	}
}
