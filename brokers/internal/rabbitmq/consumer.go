package rabbitmq

import (
	"fmt"

	amqp "github.com/rabbitmq/amqp091-go"
)

// A consumer is the channel over which replies come.
type consumer struct {
	channel   *amqp.Channel
	sources   []source
	ended     chan struct{} // closed when deliver has returned
	acks      bool
	closed    chan *amqp.Error // receives why the broker closed the channel
	cancelled chan string      // the broker deleted the queue
}

// A source is a queue from which a consumer receives.
type source struct {
	queue      string // also the tag of the subscription
	deliveries <-chan amqp.Delivery
}

// consume declares the queue and subscribes to it, and with keys to the others of a member. When it returns, the broker has
// confirmed the subscription. Without a queue the consumer never receives anything.
func (q *Queues) consume(s *session, queue string) (*consumer, error) {
	if queue == "" {
		return &consumer{acks: true}, nil
	}
	o := &q.options
	channel, err := s.Channel()
	if err != nil {
		return nil, fmt.Errorf("opening a channel: %w", plain(err))
	}
	if err := q.declare(channel, queue); err != nil {
		return nil, err
	}
	if o.prefetch > 0 {
		if err := channel.Qos(o.prefetch, 0, false); err != nil {
			return nil, fmt.Errorf("setting prefetch=%d: %w", o.prefetch, plain(err))
		}
	}
	c := &consumer{
		channel: channel, ended: make(chan struct{}),
		acks:      o.prefetch > 0,
		closed:    channel.NotifyClose(make(chan *amqp.Error, 1)),
		cancelled: channel.NotifyCancel(make(chan string, 1)),
	}
	// Not exclusive: quorum queues have no exclusive consumers, and other clients do not
	// know the queue's name.
	for _, queue := range q.received(queue) {
		deliveries, err := channel.Consume(queue, queue, !c.acks, false, false, false, nil)
		if err != nil {
			return nil, fmt.Errorf("consuming from queue %s: %w", queue, plain(err))
		}
		c.sources = append(c.sources, source{queue, deliveries})
	}
	return c, nil
}

// ack acknowledges a delivery, if the broker waits for that. It ignores the error:
// supervise receives the reason when the channel closes.
func (c *consumer) ack(d amqp.Delivery) {
	if c.acks {
		_ = d.Ack(false)
	}
}

// cancel ends the deliveries, and waits until those that came were passed on: without
// acknowledgements they have left the queue. It returns false if the broker has cut the
// consumer off.
func (c *consumer) cancel() bool {
	for _, s := range c.sources {
		if c.channel.Cancel(s.queue, false) != nil {
			return false
		}
	}
	<-c.ended
	return true
}
