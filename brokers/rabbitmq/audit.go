package rabbitmq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// How queues are read: auditPrefetch messages may be on their way, acknowledged by the
// auditBatch. auditSilence is how long none comes before the audit gives up, and auditPause
// is what a broker is given to put back what was delivered and not acknowledged.
const (
	auditPrefetch = 10_000
	auditBatch    = 1000
	auditSilence  = 15 * time.Second
	auditPause    = 200 * time.Millisecond
)

// errSilent is that the queue has messages, and the node does not deliver them.
var errSilent = errors.New("the node delivers too few of the messages that it says there are")

var errNoAudit = errors.New("nothing is acknowledged, or the queue goes with its connection: an audit takes confirm=true and durable=true")

// Takes implements [requester.Taker]. An audit queue has no consumer.
func (f *Factory) Takes() bool {
	return f.options.confirm && f.options.queue.Durable && !f.options.auditQueue
}

// Audit implements [requester.Auditor]: it drains the audit queues, with acknowledgements; or
// without them, when nothing is delivered any more, the queues themselves.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	switch {
	case f.options.auditQueue:
		return f.Drain(ctx, f.audited(), kept)
	case !f.Takes():
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	if err := f.conns.Each(func(c *conn) error { return c.Rest(ctx) }); err != nil {
		return f.explain("ending what is consumed", err)
	}
	return f.Drain(ctx, f.audited(), kept)
}

// audited returns the queues that an audit reads.
func (f *Factory) audited() (queues []string) {
	if f.options.auditQueue {
		return f.made.All()
	}
	for _, c := range f.conns.All() {
		queues = append(queues, f.queue(c.number))
	}
	return queues
}

// Drain takes all messages out of queues, with acknowledgements, over a connection of its
// own. If the node behind it delivers nothing of what there is, it asks the next: a node
// whose member of a quorum queue has died goes on, and the queue is whole all the same. The
// error is [requester.ErrStoreGone] if none of the queues is there.
func (f *Factory) Drain(ctx context.Context, queues []string, kept func(payload []byte)) error {
	var err error
	for number := range f.addrs() {
		if err = f.drainOver(ctx, number, queues, kept); !errors.Is(err, errSilent) {
			return err
		}
	}
	return err
}

// drainOver is Drain over the node that a connection of that number has.
func (f *Factory) drainOver(ctx context.Context, number int, queues []string, kept func(payload []byte)) error {
	s, err := f.dial(ctx, number, "brokerbench audits")
	if err != nil {
		return f.explain("connecting", err)
	}
	defer s.close()
	for {
		time.Sleep(auditPause)
		taken, gone := 0, 0
		for _, queue := range queues {
			n := 0
			err := s.during(ctx, func() (err error) { n, err = s.drain(queue, kept); return err })
			switch {
			case notFound(err):
				gone++ // with all that was in it; the channel is closed, the connection is not
			case err != nil:
				return f.explain("reading queue "+queue, plain(err))
			}
			taken += n
		}
		switch {
		case gone > 0 && gone == len(queues):
			return requester.ErrStoreGone
		case taken == 0: // and nothing has come back since
			return nil
		}
	}
}

// drain takes all messages out of a queue, and returns how many it had.
func (s *session) drain(queue string, kept func([]byte)) (taken int, err error) {
	channel, err := s.Channel()
	if err != nil {
		return 0, err
	}
	closed := channel.NotifyClose(make(chan *amqp.Error, 1))
	state, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
	if err != nil || state.Messages == 0 {
		return 0, cmp.Or(err, channel.Close())
	}
	if err := channel.Qos(auditPrefetch, 0, false); err != nil {
		return 0, err
	}
	deliveries, err := channel.Consume(queue, "", false, false, false, false, nil)
	if err != nil {
		return 0, err
	}
	for n := state.Messages; n > 0; n = state.Messages {
		if err := take(n, deliveries, closed, kept); err != nil {
			return 0, err
		}
		taken += n
		if state, err = channel.QueueDeclarePassive(queue, true, false, false, false, nil); err != nil {
			return 0, err
		}
	}
	return taken, channel.Close()
}

// take takes n messages, and acknowledges them; when no more come, those that came.
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
			kept(d.Body)
			if last = d; i%auditBatch != 0 && i < n {
				continue
			}
			if err := d.Ack(true); err != nil {
				return err
			}
			silence.Reset(auditSilence)
		case <-silence.C:
			if (i-1)%auditBatch != 0 { // else all are acknowledged
				_ = last.Ack(true) // if not, they come again
			}
			return fmt.Errorf("%w: %d of %d in %v", errSilent, (i-1)%auditBatch, min(n, auditBatch), auditSilence)
		}
	}
	return nil
}
