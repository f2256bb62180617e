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
	broker  management.Broker
	options options
	keeping string                   // the option with which the broker keeps deliveries until they are acknowledged
	all     transport.Set[*Consumer] // those for which Setup was called declared a queue, or tried to
	broken  atomic.Bool              // a consumer without acknowledgements was cut off
	apart   atomic.Bool              // an audit found a node without the queues
}

// A Consumer is the part of a connection that the audit stops, and its queue.
type Consumer struct {
	*transport.Reconnector

	Number int
	queue  *leftover.Made
}

// NewQueues returns the queues of the target. keeping is the option with which the broker keeps
// deliveries until they are acknowledged.
func NewQueues(t target.Target, run, keeping string) (q *Queues, err error) {
	q = &Queues{keeping: keeping}
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

// declare declares a queue, its exchange if it has one, and its audit queue.
func (o *options) declare(channel *amqp.Channel, queue string) error {
	durable := o.queue.Durable
	_, err := channel.QueueDeclare(queue, durable, !durable, !durable, false, o.queue.Arguments(&o.Durability))
	if err != nil {
		return fmt.Errorf("declaring queue %s: %w", queue, plain(err))
	}
	exchange, key := o.route(queue)
	if exchange == amqp.DefaultExchange {
		return nil
	}
	if err := channel.ExchangeDeclare(exchange, o.exchange, durable, true, false, false, nil); err != nil {
		return fmt.Errorf("declaring exchange %s: %w", exchange, plain(err))
	}
	bound := []string{queue}
	if o.Audits() {
		bound = append(bound, AuditQueue(queue))
		if _, err := channel.QueueDeclare(bound[1], true, false, false, false, o.queue.AuditArguments(&o.Durability)); err != nil {
			return fmt.Errorf("declaring queue %s: %w", bound[1], plain(err))
		}
	}
	for _, queue := range bound {
		if err := channel.QueueBind(queue, key, exchange, false, nil); err != nil {
			return fmt.Errorf("binding queue %s: %w", queue, plain(err))
		}
	}
	return nil
}

// outlive reports whether anything that is declared does not go with its connection. (The broker
// removes an exchange with its queue, but not one that was never bound.)
func (o *options) outlive() bool { return o.queue.Durable || o.exchange != defaultExchange }

// Left implements [requester.Sweeper].
func (q *Queues) Left() (names []string) {
	for _, c := range q.all.All() {
		for _, name := range c.queue.Left() {
			names = append(names, name)
			if q.options.Audits() {
				names = append(names, AuditQueue(name))
			}
		}
	}
	return names
}

// removeQueue deletes what a connection has declared, over a new connection: the measured one
// may be gone, or blocked. It is not an error if nothing is there.
func (q *Queues) removeQueue(ctx context.Context, queue string) error {
	remove := func(s *session) error { return q.options.remove(s, queue) }
	err := q.do(ctx, queue+" is removed", remove)
	if q.apart.Load() {
		for _, addr := range q.broker.Addrs()[1:] {
			err = errors.Join(err, q.doOver(ctx, addr, queue+" is removed", remove))
		}
	}
	return q.explain("removing queue "+queue+", which expires unused in "+expiry.String(), plain(err))
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
