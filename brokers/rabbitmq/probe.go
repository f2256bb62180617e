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

// probe sends a message of its own through the link and waits for it. Once is
// enough: the subscription was active before.
func (l *link) probe(ctx context.Context) error {
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

// lost returns why a channel was closed; nil says nothing of it.
func lost(cause *amqp.Error) error {
	if cause == nil {
		return errors.New("the connection was closed")
	}
	return refusal{cause}
}

// returned says that the broker returned a message.
func returned(back amqp.Return) error {
	return fmt.Errorf("the broker returned the message: %s: somebody deleted the queue", back.ReplyText)
}
