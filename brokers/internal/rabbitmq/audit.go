package rabbitmq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// How queues are read. A queue that delivers nothing for auditSilence is given up; auditPause is
// the time for a broker to put back deliveries that were not acknowledged.
const (
	auditPrefetch = 10_000
	auditBatch    = 1000 // acknowledged at once
	auditSilence  = 15 * time.Second
	auditPause    = 200 * time.Millisecond
)

// errSilent means that a node does not deliver the messages that it reports.
var errSilent = errors.New("the node delivers fewer messages than it reports")

var errNoAudit = errors.New("nothing is acknowledged, or the queue goes with its connection: an audit takes confirm=true and durable=true")

// Store implements [requester.Auditor]. An audit queue has no consumer.
func (q *Queues) Store() requester.Store {
	return requester.Store{
		Consuming: q.options.confirm && q.options.queue.Durable && !q.options.Audits(),
		Explain:   q.explainLoss,
	}
}

// Audit implements [requester.Auditor]: it drains the audit queues, or else, once the consumers
// have stopped, the queues themselves.
func (q *Queues) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !q.options.confirm || !q.options.queue.Durable {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	if !q.options.Audits() {
		if err := q.consumers.Each(func(c *transport.Reconnector) error { return c.StopConsuming(ctx) }); err != nil {
			return q.explain("stopping consumers", err)
		}
	}
	queues := q.audited()
	return overNodes(q.broker.Addrs(), func(addr string) error {
		err := q.drainOver(ctx, addr, queues, kept)
		if errors.Is(err, requester.ErrStoreGone) {
			q.apart.Store(true)
		}
		return err
	}, func() error { return q.broker.Whole(ctx) })
}

// overNodes drains queues over each of the nodes at the addresses, as they may no longer be one cluster: a
// node whose data was removed may come back alone, with none of the queues, or with new ones. So a queue is
// gone only if no node has it, and it must be one that whole confirms to be in the complete cluster if
// others do not answer.
func overNodes(addrs []string, drain func(addr string) error, whole func() error) error {
	read, gone, silent, unread := 0, 0, error(nil), error(nil)
	for _, addr := range addrs {
		switch err := drain(addr); {
		case err == nil:
			read++
		case errors.Is(err, requester.ErrStoreGone):
			gone++
		case errors.Is(err, errSilent): // it is without its member of a quorum queue
			silent = err
		default:
			unread = errors.Join(unread, err)
		}
	}
	switch {
	case read+gone == 0:
		return cmp.Or(unread, silent)
	case unread != nil:
		if err := whole(); err != nil {
			return fmt.Errorf("the messages may be on nodes that were not read: %w; %w", unread, err)
		}
	}
	if read == 0 {
		return cmp.Or(silent, requester.ErrStoreGone)
	}
	return nil
}

// audited returns the queues that an audit reads.
func (q *Queues) audited() (queues []string) {
	for number, queue := range q.queues.All() {
		switch {
		case !queue.There() || !q.topology.Own() && number >= q.exchanges():
		case q.options.Audits():
			queues = append(queues, AuditQueue(queue.Name))
		default:
			queues = append(queues, queue.Name)
		}
	}
	return queues
}

// drainOver takes all messages out of the queues, over the node at an address, until none has come
// back. The error is [requester.ErrStoreGone] if none of the queues exists.
func (q *Queues) drainOver(ctx context.Context, addr string, queues []string, kept func([]byte)) error {
	s, err := transport.DialHost(ctx, q.broker.Dialer(), addr, q.shake("brokerbench audits"))
	if err != nil {
		return q.explain("connecting", err)
	}
	defer s.close()
	for {
		time.Sleep(auditPause)
		taken, gone := 0, 0
		for _, queue := range queues {
			n := 0
			err := s.During(ctx, func() (err error) { n, err = s.empty(queue, kept); return err })
			switch {
			case notFound(err):
				gone++ // with its messages
			case err != nil:
				return q.explain("reading queue "+queue, plain(err))
			}
			taken += n
		}
		switch {
		case gone > 0 && gone == len(queues):
			return requester.ErrStoreGone
		case taken == 0:
			return nil
		}
	}
}

// empty is drain also for a quorum queue with a single active consumer, whose leader refuses to be asked for one message. As it
// has answered, the number of messages is then known.
func (s *session) empty(queue string, kept func([]byte)) (taken int, err error) {
	taken, err = s.drain(queue, kept)
	if !failed(err, amqp.ResourceLocked) {
		return taken, err
	}
	state, _, err := s.inspect(queue)
	return taken + state.Messages, err // the others are taken in the next turn
}

// drain takes all messages out of a queue, and returns how many it had.
func (s *session) drain(queue string, kept func([]byte)) (taken int, err error) {
	channel, err := s.Channel()
	if err != nil {
		return 0, err
	}
	if err := channel.Qos(auditPrefetch, 0, false); err != nil {
		return 0, err
	}
	closed := channel.NotifyClose(make(chan *amqp.Error, 1))
	var deliveries <-chan amqp.Delivery
	for {
		state, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
		if err != nil {
			return taken, err
		}
		if state.Messages == 0 {
			found, err := takeOne(channel, queue, kept)
			if err != nil || !found {
				return taken, cmp.Or(err, channel.Close())
			}
			taken++
			continue
		}
		if deliveries == nil {
			if deliveries, err = channel.Consume(queue, "", false, false, false, false, nil); err != nil {
				return 0, err
			}
		}
		if err := take(state.Messages, deliveries, closed, kept); err != nil {
			return 0, err
		}
		taken += state.Messages
	}
}

// takeOne takes a message out of a queue that reports none; found is false if it has none. A quorum queue reports none, too, if
// its leader does not answer within 250 ms, as after a failure of all nodes (rabbit_quorum_queue:stat). To get a message
// takes the leader.
func takeOne(channel *amqp.Channel, queue string, kept func([]byte)) (found bool, err error) {
	d, found, err := channel.Get(queue, false)
	if err != nil || !found {
		return false, err
	}
	kept(requester.Join(nil, transport.StampOf(d.Headers), d.Body))
	return true, d.Ack(false)
}

// take takes and acknowledges n messages, or as many as are delivered.
func take(n int, deliveries <-chan amqp.Delivery, closed <-chan *amqp.Error, kept func([]byte)) error {
	silence := time.NewTimer(auditSilence)
	defer silence.Stop()
	var last amqp.Delivery
	for i := 1; i <= n; i++ {
		select {
		case d, open := <-deliveries:
			if !open {
				return lost(<-closed)
			}
			kept(requester.Join(nil, transport.StampOf(d.Headers), d.Body))
			if last = d; i%auditBatch != 0 && i < n {
				continue
			}
			if err := d.Ack(true); err != nil {
				return err
			}
			silence.Reset(auditSilence)
		case <-silence.C:
			if (i-1)%auditBatch != 0 { // otherwise all are acknowledged
				_ = last.Ack(true) // after an error they come again
			}
			return fmt.Errorf("%w: %d of %d in %v", errSilent, (i-1)%auditBatch, min(n, auditBatch), auditSilence)
		}
	}
	return nil
}
