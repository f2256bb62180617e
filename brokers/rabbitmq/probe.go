package rabbitmq

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// probe sends a message to the link's own queue and waits for it. It need not be sent
// again: the subscription is active already.
func (l *link) probe(ctx context.Context, f *Factory) error {
	p := l.publisher
	defer func(exchange, key string) { p.exchange, p.key = exchange, key }(p.exchange, p.key)
	p.exchange, p.key = f.options.route(l.tag)
	message := make([]byte, requester.StampSize)
	_, _ = rand.Read(message) // never fails
	if _, err := l.publisher.write(message); err != nil {
		return plain(err)
	}
	for {
		select {
		case d, ok := <-l.deliveries:
			if !ok {
				return l.lost()
			}
			l.take(d)
			if bytes.Equal(d.Body, message) {
				return nil
			}
		case cause := <-l.publisher.closed:
			return lost(cause)
		case back, ok := <-l.publisher.returns:
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
	return refusal{cause}
}

// returned is the error of a message that the broker returned.
func returned(back amqp.Return) error {
	return fmt.Errorf("the broker returned the message: %s: somebody deleted the queue", back.ReplyText)
}
