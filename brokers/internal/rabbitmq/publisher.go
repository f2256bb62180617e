package rabbitmq

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// returnsKept is how many returned messages may wait. While there are more, amqp091-go
// stops reading.
const returnsKept = 64

// A publisher is the channel over which requests go. After an exception the broker
// accepts nothing more on it, and another replaces it.
type publisher struct {
	channel       *amqp.Channel
	exchange, key string
	mandatory     bool
	mode          uint8
	headers       requester.Headers
	keys          requester.Keys
	sent          *sent
	closed        chan *amqp.Error // receives why the broker closed the channel
	returns       chan amqp.Return
}

// publish opens a channel to publish to the queue, or to the exchange of a topic.
func (q *Queues) publish(s *session, to string) (*publisher, error) {
	o := &q.options
	channel, err := s.Channel()
	if err != nil {
		return nil, fmt.Errorf("opening a channel: %w", plain(err))
	}
	if !q.topology.Own() {
		if err := o.declareExchange(channel, to); err != nil {
			return nil, err
		}
	}
	if o.confirm {
		if err := channel.Confirm(false); err != nil {
			return nil, fmt.Errorf("asking for confirms: %w", plain(err))
		}
	}
	p := &publisher{channel: channel, mandatory: o.mandatory, mode: amqp.Transient, headers: q.Headers, keys: q.keys, sent: newSent(o.confirm)}
	if o.queue.Persistent {
		p.mode = amqp.Persistent
	}
	p.exchange, p.key = o.route(to)
	p.closed = channel.NotifyClose(make(chan *amqp.Error, 1))
	p.returns = channel.NotifyReturn(make(chan amqp.Return, returnsKept))
	return p, nil
}

// send writes a message to the socket. The message is remembered before that: the
// broker may refuse it before write returns.
func (p *publisher) send(payload []byte) error {
	seq := p.sent.push(payload)
	confirm, err := p.write(p.exchange, p.routingKey(payload), payload)
	if err != nil {
		p.sent.forget(seq)
		return err
	}
	if confirm != nil {
		p.sent.expect(seq, confirm)
	}
	return nil
}

// write publishes a message. When it returns, amqp091-go has flushed the message to
// the socket.
func (p *publisher) write(exchange, key string, payload []byte) (*amqp.DeferredConfirmation, error) {
	headers, body := transport.Properties(p.headers, payload)
	return p.channel.PublishWithDeferredConfirm(exchange, key, p.mandatory, false,
		amqp.Publishing{DeliveryMode: p.mode, Headers: headers, Body: body})
}
