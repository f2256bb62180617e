package rabbitmq

import (
	"fmt"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// hashed is the type of the exchange that chooses the queue by the hash of the routing key.
const hashed = "x-consistent-hash"

// TakeKeys implements [requester.KeyTaker]. The routing key is the key of the message. All producers send to the
// exchange number 0, which is bound to an exchange of each group, number 1 and on, which chooses one of as many
// queues as there are topics.
func (q *Queues) TakeKeys(k requester.Keys) error {
	t := q.topology
	if err := requester.ChooseTopic(t); err != nil {
		return err
	}
	if q.options.exchange != fanout {
		return fmt.Errorf("the routing key is the key of the message: leave out the option exchange=%s", q.options.exchange)
	}
	if q.keys.None() {
		for number := max(t.Topics, t.Groups); number < max(t.Groups*t.Topics, 1+t.Groups); number++ {
			q.add(number)
		}
	}
	q.keys = k
	return nil
}

// routingKey returns the key of a payload. Messages without one have their number, so that they are spread.
func (p *publisher) routingKey(payload []byte) string {
	if p.keys.None() {
		return p.key
	}
	if key, ok := p.keys.Name(payload); ok {
		return key
	}
	stamp, _ := requester.ReadStamp(payload)
	return strconv.FormatUint(stamp.Seq, 10)
}

// received returns the queues from which a connection receives, by the name of the first.
func (q *Queues) received(first string) (queues []string) {
	if q.keys.None() {
		return []string{first}
	}
	group, member := q.place(first)
	for _, topic := range q.topology.Share(member) {
		queues = append(queues, q.Queue(group*q.topology.Topics+topic))
	}
	return queues
}

// place returns the group of a queue, and its number in the group: that of the topic, and of the member that
// receives from it first.
func (q *Queues) place(queue string) (group, number int) {
	n := target.Number(queue)
	return n / q.topology.Topics, n % q.topology.Topics
}

// declareGroup declares the queues of a group, in the order that decides which keys each has, and the exchanges in
// front of them.
func (q *Queues) declareGroup(channel *amqp.Channel, group int) error {
	o, all, exchange := &q.options, q.Queue(0), q.Queue(1+group)
	if err := o.declareExchange(channel, all); err != nil {
		return err
	}
	if err := channel.ExchangeDeclare(exchange, hashed, o.queue.Durable, true, false, false, nil); err != nil {
		return fmt.Errorf("declaring exchange %s: %w", exchange, plain(err))
	}
	if err := channel.ExchangeBind(exchange, "", all, false, nil); err != nil {
		return fmt.Errorf("binding exchange %s: %w", exchange, plain(err))
	}
	for topic := range q.topology.Topics {
		queue := q.Queue(group*q.topology.Topics + topic)
		if err := q.declareQueue(channel, queue); err != nil {
			return err
		}
		if err := channel.QueueBind(queue, "1", exchange, false, nil); err != nil { // all have the same weight
			return fmt.Errorf("binding queue %s: %w", queue, plain(err))
		}
	}
	return nil
}

// exchanges returns to how many exchanges producers send: one for each topic, or with keys one.
func (q *Queues) exchanges() int {
	if q.keys.None() {
		return q.topology.Topics
	}
	return 1
}
