package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

var _ requester.Doubter = (*Factory)(nil)

// statisticsAge is how old the numbers of the management API may be: queues report every 5 s.
const statisticsAge = 6 * time.Second

// ErrForgotten is why nobody can tell what became of a message, if a consumer's connection
// broke to which the broker sends without waiting for acknowledgements.
var ErrForgotten = errors.New("a connection that consumed broke, and what was on its way to it the broker has forgotten: it is gone, and nobody can tell whether it was that")

// Doubt implements [requester.Doubter].
func (f *Factory) Doubt(ctx context.Context) error {
	switch err := f.Held(ctx, f.audited()); {
	case err != nil, f.options.auditQueue:
		return err
	case f.broken.Load():
		return f.explain("looking for what is missing", ErrForgotten)
	}
	return nil
}

// Held returns [requester.ErrHeld] if consumers have messages of the queues and have not
// acknowledged them. AMQP tells at once how many consumers a queue has, and counts no message
// that is with one; the management API does, some seconds late. A consumer that was
// cancelled keeps what it has: quorum queues go on counting it, of a classic queue only the API
// tells. Without the API a queue without consumers holds back nothing: nobody but us knows its
// name, and our consumers went with their connections.
func (f *Factory) Held(ctx context.Context, queues []string) error {
	consumers, err := f.consumers(ctx, queues)
	if err != nil {
		return f.explain("asking who consumes", plain(err))
	}
	held, known := f.unacknowledged(ctx, queues)
	if consumers+held == 0 && known {
		select {
		case <-time.After(statisticsAge):
			held, _ = f.unacknowledged(ctx, queues)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	switch {
	case held > 0:
		return fmt.Errorf("rabbitmq: messages of %s: %d are %w", several(queues), held, requester.ErrHeld)
	case consumers > 0:
		return fmt.Errorf("rabbitmq: messages of %s may be %w: consumers beside brokerbench's: %d", several(queues), requester.ErrHeld, consumers)
	}
	return nil
}

// several names a queue, and says that it is not the only one.
func several(queues []string) string {
	if len(queues) == 1 {
		return "queue " + queues[0]
	}
	return fmt.Sprintf("queue %s and %d more", queues[0], len(queues)-1)
}

// consumers returns how many consumers the queues have. One that is gone has none.
func (f *Factory) consumers(ctx context.Context, queues []string) (n int, err error) {
	s, err := f.dial(ctx, 0, "brokerbench asks who consumes")
	if err != nil {
		return 0, err
	}
	defer s.close()
	err = s.during(ctx, func() error {
		for _, queue := range queues {
			channel, err := s.Channel()
			if err != nil {
				return err
			}
			state, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
			switch {
			case notFound(err): // which closed the channel
			case err != nil:
				return err
			default:
				n += state.Consumers
				_ = channel.Close()
			}
		}
		return nil
	})
	return n, err
}

// notFound tells whether the broker said that a queue is not there.
func notFound(err error) bool {
	var cause *amqp.Error
	return errors.As(err, &cause) && cause.Code == amqp.NotFound
}

// unacknowledged returns how many messages of the queues are not acknowledged, as the
// management API tells, if it does.
func (f *Factory) unacknowledged(ctx context.Context, queues []string) (n int, known bool) {
	api, err := f.management("")
	if err != nil {
		return 0, false
	}
	all, err := f.leaders.Unacknowledged(ctx, api)
	if err != nil {
		return 0, false
	}
	known = true
	for _, queue := range queues {
		held, ok := all[queue]
		n, known = n+held, known && ok
	}
	return n, known
}
