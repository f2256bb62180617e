//go:build linux

package main

import (
	"context"
	"errors"

	amqp "github.com/rabbitmq/amqp091-go"
)

// confirmsPending is more confirms than a loop waits for at a time.
const confirmsPending = 1 << 16

// confirmsByHand is amqp091-go with one channel that publishes persistent messages, which
// the broker confirms, and one that consumes them from a durable queue of that type:
// without acknowledgements, or with one for each and at most so many outstanding.
func confirmsByHand(queueType string, prefetch int) dial {
	return func(_ context.Context, url string, received, acked func()) (link, error) {
		connection, err := amqp.Dial(withoutOptions(url))
		if err != nil {
			return link{}, err
		}
		publishing, err1 := connection.Channel()
		consuming, err2 := connection.Channel()
		name := unique()
		l := link{close: func() {
			_, _ = consuming.QueueDelete(name, false, false, false)
			_ = connection.Close()
		}}
		if err := errors.Join(err1, err2); err != nil {
			_ = connection.Close()
			return link{}, err
		}
		err = publishing.Confirm(false)
		if err == nil {
			err = drainByHand(consuming, name, queueType, prefetch, received)
		}
		if err != nil {
			l.close()
			return link{}, err
		}
		pending := make(chan *amqp.DeferredConfirmation, confirmsPending)
		go func() {
			for p := range pending {
				if p.Wait() { // false: refused, or the connection is closed
					acked()
				}
			}
		}()
		closeAll := l.close
		l.close = func() {
			closeAll()
			close(pending)
		}
		l.publish = func(payload []byte) error {
			confirm, err := publishing.PublishWithDeferredConfirm("", name, true, false, amqp.Publishing{DeliveryMode: amqp.Persistent, Body: payload})
			if err == nil {
				pending <- confirm
			}
			return err
		}
		return l, nil
	}
}

// drainByHand declares a queue and takes what is in it, until its connection is closed.
func drainByHand(channel *amqp.Channel, name, queueType string, prefetch int, received func()) error {
	args := amqp.Table{"x-queue-type": queueType, "x-expires": int64(600_000)} // should close not come to remove it
	if _, err := channel.QueueDeclare(name, true, false, false, false, args); err != nil {
		return err
	}
	if prefetch > 0 {
		if err := channel.Qos(prefetch, 0, false); err != nil {
			return err
		}
	}
	deliveries, err := channel.Consume(name, "", prefetch == 0, false, false, false, nil)
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
