package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
)

// errBlocked is that the broker has an alarm: it reads no more from who publishes.
var errBlocked = errors.New("the broker takes no messages")

// A link is the AMQP side of a conn, from one disconnect to the next.
type link struct {
	*consumer
	publisher *publisher // only supervise replaces it
	incoming  *session   // of the consumer
	outgoing  *session   // of the publisher; the same one without separate-connections
	blocked   chan amqp.Blocking
	work      sync.WaitGroup // the goroutines that run for it
}

// connect makes a link. After an error only a queue that is not exclusive may be
// left behind.
func (f *Factory) connect(ctx context.Context, number int) (*link, error) {
	queue := f.queue(number)
	incoming, err := f.dial(ctx, number, queue)
	if err != nil {
		return nil, err
	}
	l := &link{incoming: incoming, outgoing: incoming}
	if f.options.separate {
		if l.outgoing, err = f.dial(ctx, number, queue+" publishes"); err != nil {
			incoming.close()
			return nil, err
		}
	}
	l.blocked = l.outgoing.NotifyBlocked(make(chan amqp.Blocking, 4))
	err = l.during(ctx, func() error {
		var consuming, publishing error
		l.consumer, consuming = f.options.consume(l.incoming, queue)
		if consuming == nil {
			l.publisher, publishing = f.options.publish(l.outgoing, f.sendsTo(number))
		}
		return errors.Join(consuming, publishing)
	})
	if err != nil {
		f.broke(l.consumer)
		l.close()
		return nil, err
	}
	return l, nil
}

// during calls do, and cuts the link when ctx ends before do has returned.
func (l *link) during(ctx context.Context, do func() error) error {
	return l.incoming.during(ctx, func() error { return l.outgoing.during(ctx, do) })
}

// whyBlocked returns why nothing came back: the broker takes no messages, if it has
// said so, else err.
func (l *link) whyBlocked(err error) error {
	why := err
	for {
		select {
		case state, open := <-l.blocked:
			switch {
			case !open:
				return why
			case state.Active:
				why = fmt.Errorf("%w: %s", errBlocked, state.Reason)
			default:
				why = err
			}
		default:
			return why
		}
	}
}

// cut closes the sockets.
func (l *link) cut() {
	l.incoming.cut()
	l.outgoing.cut()
}

// close ends the connections, and waits for the goroutines of the link.
func (l *link) close() {
	if l.outgoing != l.incoming {
		l.outgoing.close()
	}
	l.incoming.close()
	l.work.Wait()
}
