//go:build linux

package main

import (
	"context"
	"errors"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitmqByHand is amqp091-go with one channel that publishes transient messages
// to the default exchange and one that consumes, without acknowledgements, from
// an exclusive queue that the broker names.
func rabbitmqByHand(_ context.Context, url string, received, _ func()) (link, error) {
	connection, err := amqp.Dial(withoutOptions(url))
	if err != nil {
		return link{}, err
	}
	l := link{close: func() { _ = connection.Close() }}
	publishing, err1 := connection.Channel()
	consuming, err2 := connection.Channel()
	if err := errors.Join(err1, err2); err != nil {
		l.close()
		return link{}, err
	}
	queue, err := consuming.QueueDeclare("", false, true, true, false, nil)
	if err != nil {
		l.close()
		return link{}, err
	}
	deliveries, err := consuming.Consume(queue.Name, "", true, true, false, false, nil)
	if err != nil {
		l.close()
		return link{}, err
	}
	go func() {
		for range deliveries { // closed with the connection
			received()
		}
	}()
	l.publish = func(payload []byte) error {
		return publishing.Publish("", queue.Name, false, false, amqp.Publishing{DeliveryMode: amqp.Transient, Body: payload})
	}
	return l, nil
}
