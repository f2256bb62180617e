package rabbitmq

import (
	"context"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// make faults has the same with a real broker and its alarm.
func TestAProbeThatAnAlarmBlocksSaysSo(t *testing.T) {
	f := factory(t, "amqp://127.0.0.1:1", "")
	on, off := amqp.Blocking{Active: true, Reason: "low on memory"}, amqp.Blocking{}
	for _, c := range []struct {
		name  string
		heard []amqp.Blocking
		parts []string
	}{
		{"blocked", []amqp.Blocking{on}, []string{"probing", "the broker takes no messages: low on memory", "free memory or disk"}},
		{"blocked twice", []amqp.Blocking{on, off, on}, []string{"low on memory"}},
		{"not any more", []amqp.Blocking{on, off}, []string{"deadline exceeded", "no answer in time"}},
		{"never", nil, []string{"deadline exceeded", "no answer in time"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &link{blocked: make(chan amqp.Blocking, 4)}
			for _, state := range c.heard {
				l.blocked <- state
			}
			brokertest.WantError(t, f.explain("probing", l.whyBlocked(context.DeadlineExceeded)), c.parts...)
			close(l.blocked)
			brokertest.WantError(t, l.whyBlocked(context.DeadlineExceeded), "deadline exceeded")
		})
	}
}
