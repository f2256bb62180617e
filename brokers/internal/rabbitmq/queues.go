package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

const (
	scheme    = "amqp"
	schemeTLS = "amqps"
)

// How long queues outlive their last use if nothing removes them: one that is not exclusive,
// and an audit queue, which is not used until the run is over.
const (
	expiry      = 10 * time.Minute
	auditExpiry = 7 * 24 * time.Hour
)

// Queues are the queues of a run, with everything about them that is not measured: it goes over
// AMQP 0-9-1, whatever protocol the measured connections speak. It is safe for concurrent use.
type Queues struct {
	broker    management.Broker
	options   options
	keeping   string                                // the option with which the broker keeps deliveries until they are acknowledged
	Headers   requester.Headers                     // of each message
	keys      requester.Keys                        // of messages
	topology  requester.Topology                    // zero: each connection has a queue
	queues    transport.Set[*leftover.Shared]       // with the exchanges of the same names; by their numbers
	consumers transport.Set[*transport.Reconnector] // which the audit stops
	declaring chan struct{}                         // full while a producer or a member declares
	broken    atomic.Bool                           // a consumer without acknowledgements was cut off
	apart     atomic.Bool                           // an audit found a node without the queues
}

// NewQueues returns the queues of the target. keeping is the option with which the broker keeps
// deliveries until they are acknowledged.
func NewQueues(t target.Target, run, keeping string) (q *Queues, err error) {
	q = &Queues{keeping: keeping, declaring: make(chan struct{}, 1)}
	q.broker = management.Broker{Scheme: scheme, SchemeTLS: schemeTLS, Port: "5672", PortTLS: "5671", Options: &q.options.Options}
	form := target.Form{Broker: "rabbitmq", Define: q.options.define, Remedy: q.remedy, NoEcho: q.noEcho}
	return q, q.broker.Read(t, run, form, q.options.check)
}

func (q *Queues) noEcho() error {
	return target.NoEcho(q.options.Audits(), "durability="+string(q.options.Durability.Asked()))
}

// Broke records that a consumer without acknowledgements was cut off: the broker has forgotten
// the messages on their way to it, and the client drops those that it has not passed on.
func (q *Queues) Broke() { q.broken.Store(true) }

// TakeTopology implements [requester.Grouper]. A topic is an exchange. A group is a queue, which is bound to
// the exchanges of all topics.
func (q *Queues) TakeTopology(t requester.Topology) error {
	if q.topology.Own() {
		for number := range max(t.Topics, t.Groups) {
			q.add(number)
		}
	}
	q.topology = t
	if q.options.exchange == defaultExchange {
		q.options.exchange = fanout
		for i, s := range q.broker.Settings {
			if s.Name == "exchange" {
				q.broker.Settings[i].Value = fanout
			}
		}
	}
	return nil
}

// TakeHeaders implements [requester.HeaderTaker]. The headers of a message share a frame.
func (q *Queues) TakeHeaders(h requester.Headers) error {
	const each, others = 6, 1 << 10 // bytes, of lengths and a type, and of the frame besides
	if size := h.Overhead(each) + others; size > q.options.FrameSize {
		return fmt.Errorf("headers of %d B do not fit into a frame of %d B", size, q.options.FrameSize)
	}
	q.Headers = h
	return nil
}

// Keeps implements [requester.Keeper]: a durable queue stays for ten minutes without consumers.
func (q *Queues) Keeps() error {
	switch {
	case !q.options.queue.Durable:
		return errors.New("a queue goes with its last consumer: add the option durable=true")
	case q.options.queue.MaxLength > 0:
		return errors.New("max-length limits the queue: leave out the option")
	}
	return nil
}

// InTurn calls do, which declares, with groups of consumers only after the calls that have begun: if a queue is
// declared over two connections at once, RabbitMQ 4.0 ends one of them with an internal error (AMQP 1.0), or 3.10
// has a quorum queue that nothing can consume yet.
func (q *Queues) InTurn(ctx context.Context, do func() error) error {
	if q.topology.Own() {
		return do()
	}
	select {
	case q.declaring <- struct{}{}:
		defer func() { <-q.declaring }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add adds the queue of a connection, or the exchange and the queue of a topic and a group of that number.
func (q *Queues) add(number int) *leftover.Shared {
	queue := &leftover.Shared{Made: leftover.Made{Kind: "queue", Name: q.Queue(number), Delete: q.removeQueue}}
	q.queues.Add(queue)
	return queue
}

// Exchanges returns the names of the exchanges that lead to a queue, besides the default one.
func (q *Queues) Exchanges(queue string) (names []string) {
	switch {
	case !q.topology.Own():
		for topic := range q.topology.Topics {
			names = append(names, q.Queue(topic))
		}
	case q.options.exchange != defaultExchange:
		names = []string{queue}
	}
	return names
}

// Exclusive reports whether queues are exclusive to their connections. The members of a group share one.
func (q *Queues) Exclusive() bool { return !q.options.queue.Durable && q.topology.Own() }

// Queue returns the name of a connection's queue, and of its exchange if it has
// one.
func (q *Queues) Queue(number int) string { return q.broker.From(target.Name(q.broker.Run, number)) }

// AuditQueue returns the name of a queue's audit queue.
func AuditQueue(queue string) string { return queue + leftover.Audit }

// AuditSetting says whether messages are routed to audit queues.
func (q *Queues) AuditSetting() requester.Setting {
	return requester.Setting{Name: "audit-queue", Value: strconv.FormatBool(q.options.Audits()), Doc: "with a level of durability"}
}

// route returns the exchange and the routing key that lead to a queue.
func (o *options) route(queue string) (exchange, key string) {
	if o.exchange == defaultExchange {
		return amqp.DefaultExchange, queue
	}
	return queue, queue
}

// declare declares a queue, and the exchanges in front of it.
func (q *Queues) declare(channel *amqp.Channel, queue string) error {
	o := &q.options
	if !q.keys.None() {
		group, _ := q.place(queue)
		return q.declareGroup(channel, group)
	}
	if err := q.declareQueue(channel, queue); err != nil {
		return err
	}
	for _, exchange := range q.Exchanges(queue) {
		if err := o.declareExchange(channel, exchange); err != nil {
			return err
		}
		if err := o.bind(channel, queue, exchange); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queues) declareQueue(channel *amqp.Channel, queue string) error {
	o := &q.options
	_, err := channel.QueueDeclare(queue, o.queue.Durable, !o.queue.Durable, q.Exclusive(), false, o.queue.Arguments(&o.Durability))
	if err != nil {
		return fmt.Errorf("declaring queue %s: %w", queue, plain(err))
	}
	return nil
}

// declareExchange declares an exchange, and its audit queue if it has one.
func (o *options) declareExchange(channel *amqp.Channel, exchange string) error {
	if err := channel.ExchangeDeclare(exchange, o.exchange, o.queue.Durable, true, false, false, nil); err != nil {
		return fmt.Errorf("declaring exchange %s: %w", exchange, plain(err))
	}
	if !o.Audits() {
		return nil
	}
	audit := AuditQueue(exchange)
	if _, err := channel.QueueDeclare(audit, true, false, false, false, o.queue.AuditArguments(&o.Durability)); err != nil {
		return fmt.Errorf("declaring queue %s: %w", audit, plain(err))
	}
	return o.bind(channel, audit, exchange)
}

// bind has an exchange route its messages to a queue.
func (o *options) bind(channel *amqp.Channel, queue, exchange string) error {
	exchange, key := o.route(exchange)
	if err := channel.QueueBind(queue, key, exchange, false, nil); err != nil {
		return fmt.Errorf("binding queue %s: %w", queue, plain(err))
	}
	return nil
}

// outlive reports whether anything that is declared does not go with its connection. (The broker
// removes an exchange with its queue, but not one that was never bound.)
func (o *options) outlive() bool { return o.queue.Durable || o.exchange != defaultExchange }

// Left implements [requester.Sweeper].
func (q *Queues) Left() (names []string) {
	for _, name := range transport.Left(&q.queues) {
		names = append(names, name)
		if q.options.Audits() {
			names = append(names, AuditQueue(name))
		}
	}
	return names
}

// removeQueue deletes what a connection has declared, over a new connection: the measured one
// may be gone, or blocked. It is not an error if nothing is there.
func (q *Queues) removeQueue(ctx context.Context, queue string) error {
	remove := func(s *session) error { return q.options.remove(s, queue) }
	err := q.do(ctx, queue+" is removed", remove)
	for _, addr := range q.broker.Addrs() {
		if !internal(err) {
			break
		}
		err = q.doOver(ctx, addr, queue+" is removed", remove)
	}
	if q.apart.Load() {
		for _, addr := range q.broker.Addrs()[1:] {
			err = errors.Join(err, q.doOver(ctx, addr, queue+" is removed", remove))
		}
	}
	return q.explain("removing queue "+queue+", which expires unused in "+expiry.String(), plain(err))
}

// internal reports whether the broker itself failed. A node whose disk was full does so when it is first asked to delete
// a quorum queue whose member there has ended.
func internal(err error) bool {
	var cause *amqp.Error
	return errors.As(err, &cause) && cause.Code == amqp.InternalError
}

// remove deletes what declare has declared.
func (o *options) remove(s *session, queue string) error {
	channel, err := s.Channel()
	if err != nil {
		return err
	}
	if o.exchange != defaultExchange {
		if err := channel.ExchangeDelete(queue, false, false); err != nil {
			return err
		}
	}
	if o.Audits() {
		if _, err := channel.QueueDelete(AuditQueue(queue), false, false, false); err != nil {
			return err
		}
	}
	_, err = channel.QueueDelete(queue, false, false, false)
	return err
}

// Timers returns how soon a node notices that another one is silent.
func (q *Queues) Timers(ctx context.Context) []requester.Setting { return q.broker.Timers(ctx) }

// Leadership implements [requester.LeaderFinder]: the leader of the connection's queue, or the
// node that has it.
func (q *Queues) Leadership(ctx context.Context, conn int) (requester.Leadership, error) {
	return q.broker.Leadership(ctx, "amqp", q.Queue(conn))
}

// InForce returns the value in force of an option; "" if there is no such option.
func (q *Queues) InForce(name string) string { return q.broker.InForce(name) }
