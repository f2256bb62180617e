package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// statisticsAge is how old the numbers of the management API may be: queues report every 5 s.
const statisticsAge = 6 * time.Second

// errForgotten means that a consumer's connection broke to which the broker sends without
// waiting for acknowledgements.
var errForgotten = errors.New("the connection of a consumer broke, and the broker has forgotten the messages that were on their way to it: they may be the missing ones")

// explainLoss is Explain of the [requester.Store].
func (q *Queues) explainLoss(ctx context.Context) error {
	err := q.held(ctx, q.audited())
	if err == nil && !q.options.Audits() && q.broken.Load() {
		err = q.explain("looking for missing messages", errForgotten)
	}
	return err
}

// held returns [requester.ErrHeld] if consumers have messages of the queues and have not
// acknowledged them. AMQP reports at once how many consumers a queue has, but not the messages
// that they hold; the management API does, some seconds late. A consumer that was cancelled
// keeps its messages: quorum queues still count it, for classic queues only the API shows that.
// Without the API a queue without consumers counts as holding nothing back: only brokerbench
// knows its name, and our consumers went with their connections.
func (q *Queues) held(ctx context.Context, queues []string) error {
	consumers := 0
	err := q.do(ctx, "brokerbench counts consumers", func(s *session) error {
		for _, queue := range queues {
			state, _, err := s.inspect(queue)
			if err != nil {
				return err
			}
			consumers += state.Consumers
		}
		return nil
	})
	if err != nil {
		return q.explain("counting consumers", plain(err))
	}
	held, known := q.broker.Unacknowledged(ctx, queues)
	if consumers+held == 0 && known {
		select {
		case <-time.After(statisticsAge):
			held, _ = q.broker.Unacknowledged(ctx, queues)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	of := "queue " + queues[0]
	if len(queues) > 1 {
		of += fmt.Sprintf(" and %d more", len(queues)-1)
	}
	switch {
	case held > 0:
		return fmt.Errorf("rabbitmq: messages of %s: %d are %w", of, held, requester.ErrHeld)
	case consumers > 0:
		return fmt.Errorf("rabbitmq: messages of %s may be %w: consumers other than brokerbench's: %d", of, requester.ErrHeld, consumers)
	}
	return nil
}
