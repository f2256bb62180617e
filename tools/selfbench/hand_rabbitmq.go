//go:build linux

package main

import (
	"context"
	"errors"

	amqp "github.com/rabbitmq/amqp091-go"
)

// acksPending is more acknowledgements than a loop waits for at a time.
const acksPending = 1 << 16

// rabbitmqByHand is amqp091-go with one channel that publishes and one that consumes.
// Without a queue type messages are transient and the queue is exclusive. With one both are
// durable, and the broker confirms messages. A prefetch of 0 consumes without acknowledgements.
func rabbitmqByHand(queueType string, prefetch int) dial {
	durable, mode := queueType != "", amqp.Transient
	if durable {
		mode = amqp.Persistent
	}
	return func(_ context.Context, url string, received, acked func()) (link, error) {
		connection, err := amqp.Dial(withoutOptions(url))
		if err != nil {
			return link{}, err
		}
		publishing, err1 := connection.Channel()
		consuming, err2 := connection.Channel()
		err = errors.Join(err1, err2)
		name := unique()
		if err == nil && durable {
			err = publishing.Confirm(false)
		}
		if err == nil {
			err = consumeQueue(consuming, name, queueType, prefetch, received)
		}
		if err != nil {
			_ = connection.Close()
			return link{}, err
		}
		pending := make(chan *amqp.DeferredConfirmation, acksPending)
		go awaitConfirms(pending, acked)
		return link{
			publish: func(payload []byte) error {
				confirm, err := publishing.PublishWithDeferredConfirm("", name, durable, false, amqp.Publishing{DeliveryMode: mode, Body: payload})
				if err == nil && durable {
					pending <- confirm
				}
				return err
			},
			close: func() {
				_, _ = consuming.QueueDelete(name, false, false, false)
				_ = connection.Close()
				close(pending)
			},
		}, nil
	}
}

// awaitConfirms calls acked for each message that the broker confirms, in order.
func awaitConfirms(pending <-chan *amqp.DeferredConfirmation, acked func()) {
	for p := range pending {
		if p.Wait() { // false: refused, or the connection is closed
			acked()
		}
	}
}

// consumeQueue declares a queue and consumes it until its connection is closed.
func consumeQueue(channel *amqp.Channel, name, queueType string, prefetch int, received func()) error {
	durable, args := queueType != "", amqp.Table(nil)
	if durable {
		args = amqp.Table{"x-queue-type": queueType, "x-expires": int64(600_000)} // in case close does not remove it
	}
	if _, err := channel.QueueDeclare(name, durable, !durable, !durable, false, args); err != nil {
		return err
	}
	if prefetch > 0 {
		if err := channel.Qos(prefetch, 0, false); err != nil {
			return err
		}
	}
	deliveries, err := channel.Consume(name, "", prefetch == 0, !durable, false, false, nil)
	if err != nil {
		return err
	}
	go func() {
		for d := range deliveries {
			received()
			if prefetch > 0 {
				_ = d.Ack(false)
			}
		}
	}()
	return nil
}
