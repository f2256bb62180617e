package rabbitmq

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

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
	queue := f.Queue(number)
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
	err = l.during(ctx, func() (err error) {
		if l.consumer, err = f.options.consume(l.incoming, queue); err == nil {
			l.publisher, err = f.options.publish(l.outgoing, f.sendsTo(number))
		}
		return err
	})
	if err != nil {
		if l.consumer != nil && !l.acks {
			f.Broke()
		}
		l.close()
		return nil, err
	}
	return l, nil
}

// during calls do, and cuts the link when ctx ends before do has returned.
func (l *link) during(ctx context.Context, do func() error) error {
	return l.incoming.During(ctx, func() error { return l.outgoing.During(ctx, do) })
}

// probe sends a message to the link's own queue and waits for it. It is sent once:
// the subscription is active already.
func (l *link) probe(ctx context.Context, f *Factory) error {
	p := l.publisher
	defer func(exchange, key string) { p.exchange, p.key = exchange, key }(p.exchange, p.key)
	p.exchange, p.key = f.options.route(l.tag)
	message := make([]byte, requester.StampSize)
	_, _ = rand.Read(message) // never fails
	if _, err := p.write(message); err != nil {
		return plain(err)
	}
	for {
		select {
		case d, ok := <-l.deliveries:
			if !ok {
				return l.lost()
			}
			l.ack(d)
			if bytes.Equal(d.Body, message) {
				return nil
			}
		case cause := <-p.closed:
			return lost(cause)
		case back, ok := <-p.returns:
			if ok {
				return returned(back)
			}
			return l.lost()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lost returns why the consumer's channel was closed.
func (l *link) lost() error { return lost(<-l.closed) }

// lost returns why a channel was closed; cause is nil if the broker gave no reason.
func lost(cause *amqp.Error) error {
	if cause == nil {
		return errors.New("the connection was closed")
	}
	return serverError{cause}
}

// returned is the error of a message that the broker returned.
func returned(back amqp.Return) error {
	return fmt.Errorf("the broker returned the message: %s: another client deleted the queue", back.ReplyText)
}

// whyBlocked returns err, or that the broker takes no messages if it has reported so: then
// nothing came back because of that.
func (l *link) whyBlocked(err error) error {
	why := err
	for {
		select {
		case state, open := <-l.blocked:
			switch {
			case !open:
				return why
			case state.Active:
				why = fmt.Errorf("%w: %s", management.ErrBlocked, state.Reason)
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
	l.incoming.Cut()
	l.outgoing.Cut()
}

// close ends the connections, and waits for the goroutines of the link.
func (l *link) close() {
	if l.outgoing != l.incoming {
		l.outgoing.close()
	}
	l.incoming.close()
	l.work.Wait()
}
