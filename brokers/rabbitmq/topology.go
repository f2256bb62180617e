package rabbitmq

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	amqp "github.com/rabbitmq/amqp091-go"
)

// expiry is how long a queue that is not exclusive outlives its last use, if
// nobody removes it.
const expiry = 10 * time.Minute

// auditExpiry is the same of an audit queue, which nobody uses until the run is over.
const auditExpiry = 7 * 24 * time.Hour

// auditQueue returns the name of a queue's audit queue.
func auditQueue(queue string) string { return queue + leftover.Audit }

// route returns the exchange and the routing key that lead to a queue.
func (o *options) route(queue string) (exchange, key string) {
	if o.exchange == defaultExchange {
		return amqp.DefaultExchange, queue
	}
	return queue, queue
}

// declare declares a queue, and its exchange if it has its own.
func (o *options) declare(channel *amqp.Channel, queue string) error {
	kept := o.queue.Durable
	_, err := channel.QueueDeclare(queue, kept, !kept, !kept, false, o.queue.Arguments(&o.durability))
	if err != nil {
		return fmt.Errorf("declaring queue %s: %w", queue, plain(err))
	}
	exchange, key := o.route(queue)
	if exchange == amqp.DefaultExchange {
		return nil
	}
	if err := channel.ExchangeDeclare(exchange, o.exchange, kept, true, false, false, nil); err != nil {
		return fmt.Errorf("declaring exchange %s: %w", exchange, plain(err))
	}
	if err := channel.QueueBind(queue, key, exchange, false, nil); err != nil {
		return fmt.Errorf("binding queue %s: %w", queue, plain(err))
	}
	return o.declareAudit(channel, queue, exchange, key)
}

// declareAudit declares the audit queue, if there is to be one, beside the queue. It has no
// limit and no consumer.
func (o *options) declareAudit(channel *amqp.Channel, queue, exchange, key string) error {
	if !o.auditQueue {
		return nil
	}
	queue = auditQueue(queue)
	args := amqp.Table{"x-queue-type": o.queue.Type, "x-expires": auditExpiry.Milliseconds()}
	if _, err := channel.QueueDeclare(queue, true, false, false, false, args); err != nil {
		return fmt.Errorf("declaring queue %s: %w", queue, plain(err))
	}
	if err := channel.QueueBind(queue, key, exchange, false, nil); err != nil {
		return fmt.Errorf("binding queue %s: %w", queue, plain(err))
	}
	return nil
}

// leaves tells whether anything that declare makes outlives the connection. (The
// broker removes an exchange with its queue, but not one that was never bound.)
func (o *options) leaves() bool { return o.queue.Durable || o.exchange != defaultExchange }

// RemoveQueue deletes what the connection of that number has declared, over a new connection:
// the measured one may be gone, or blocked. It is not an error if nothing is there.
func (f *Factory) RemoveQueue(ctx context.Context, number int) error {
	queue := f.queue(number)
	s, err := f.dial(ctx, number, queue+" is removed")
	if err != nil {
		return f.explain("removing queue "+queue+", which expires unused in "+expiry.String(), err)
	}
	defer s.close()
	err = s.during(ctx, func() error {
		channel, err := s.Channel()
		if err != nil {
			return err
		}
		if f.options.exchange != defaultExchange {
			if err := channel.ExchangeDelete(queue, false, false); err != nil {
				return err
			}
		}
		if f.options.auditQueue {
			if _, err := channel.QueueDelete(auditQueue(queue), false, false, false); err != nil {
				return err
			}
			f.made.Remove(auditQueue(queue))
		}
		_, err = channel.QueueDelete(queue, false, false, false)
		return err
	})
	return f.explain("removing queue "+queue, plain(err))
}
