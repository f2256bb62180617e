package rabbitmq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// A link is the AMQP side of a conn, from one disconnect to the next.
type link struct {
	*consumer
	transport.Work

	conn      *conn
	publisher atomic.Pointer[publisher] // nil while another channel is opened
	incoming  *session                  // of the consumer
	outgoing  *session                  // of the publisher; the same one without separate-connections
	alarms    chan amqp.Blocking
}

// open makes a link. After an error only a queue that is not exclusive may be
// left behind.
func (f *Factory) open(ctx context.Context, c *conn) (*link, error) {
	name := cmp.Or(c.Queue, c.SendsTo)
	incoming, err := f.dial(ctx, c.Number, name)
	if err != nil {
		return nil, err
	}
	l := &link{conn: c, incoming: incoming, outgoing: incoming}
	if f.options.separate && !c.OneWay {
		if l.outgoing, err = f.dial(ctx, c.Number, name+" publishes"); err != nil {
			incoming.close()
			return nil, err
		}
	}
	l.alarms = l.outgoing.NotifyBlocked(make(chan amqp.Blocking, 4))
	background := l.Begin(ctx)
	err = f.InTurn(ctx, func() error {
		return l.during(ctx, func() (err error) {
			if l.consumer, err = f.consume(incoming, c.Queue); err == nil {
				err = l.publish()
			}
			return err
		})
	})
	if err != nil {
		l.broke()
		l.Close(err)
		return nil, err
	}
	if c.Queue != "" {
		l.Go(func() { c.deliver(l.consumer) })
	}
	l.Go(func() { l.Lose(l.watch(background)) })
	return l, nil
}

// publish opens a channel to publish, if the connection does.
func (l *link) publish() error {
	to := l.conn.SendsTo
	if to == "" {
		l.publisher.Store(&publisher{})
		return nil
	}
	p, err := l.conn.factory.publish(l.outgoing, to)
	if err != nil {
		return err
	}
	confirms := &confirms{link: l, publisher: p, returns: p.returns}
	l.Go(confirms.await)
	l.publisher.Store(p)
	return nil
}

// deliver passes on replies until the channel is closed.
func (c *conn) deliver(from *consumer) {
	defer close(from.ended)
	if c.factory.keys.None() {
		for d := range from.sources[0].deliveries {
			if c.DeliverWith(transport.StampOf(d.Headers), d.Body) {
				from.ack(d)
			}
		}
		return
	}
	var all sync.WaitGroup
	for _, s := range from.sources {
		_, topic := c.factory.place(s.queue)
		all.Go(func() {
			for d := range s.deliveries {
				if c.DeliverFrom(topic, transport.StampOf(d.Headers), d.Body) {
					from.ack(d)
				}
			}
		})
	}
	all.Wait()
}

// during calls do, and cuts the link when ctx ends before do has returned.
func (l *link) during(ctx context.Context, do func() error) error {
	return l.incoming.During(ctx, func() error { return l.outgoing.During(ctx, do) })
}

// Probe implements [transport.Link]: it sends the message to the link's own queue.
func (l *link) Probe(_ context.Context, message []byte) error {
	exchange, key := l.conn.factory.options.route(l.sources[0].queue)
	_, err := l.publisher.Load().write(exchange, key, message)
	return plain(err)
}

// Send implements [transport.Link]: it writes to the socket, which blocks when the broker does not
// read.
func (l *link) Send(payload []byte) error {
	refused := l.conn.refused.Load()
	if refused != nil && len(payload) > refused.limit {
		return refused.err
	}
	p := l.publisher.Load()
	if p == nil {
		return l.conn.refused.Load().err // watch stores it before it takes the publisher away
	}
	return plain(p.send(payload))
}

// Drain implements [transport.Drainer]. Deliveries that wait for an acknowledgement go back to the
// queue, but not those of a member, which leaves.
func (l *link) Drain(ctx context.Context) {
	if l.acks && !l.conn.OneWay {
		l.conn.Mute()
	}
	defer context.AfterFunc(ctx, l.Cut)()
	if !l.cancel() {
		l.broke()
	}
}

// Cut implements [transport.Link].
func (l *link) Cut() {
	l.broke()
	l.incoming.Cut()
	l.outgoing.Cut()
}

// broke records that a consumer without acknowledgements was cut off: the broker has forgotten
// the messages on their way to it, and the client drops those that it has not passed on.
func (l *link) broke() {
	if l.consumer != nil && !l.acks {
		l.conn.factory.Broke()
	}
}

// Close implements [transport.Link].
func (l *link) Close(error) {
	l.Stop()
	if l.outgoing != l.incoming {
		l.outgoing.close()
	}
	l.incoming.close()
	l.Wait()
}

// watch returns why the link is lost; ctx.Err when ctx has ended.
func (l *link) watch(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case cause := <-l.closed:
			return lost(cause)
		case _, ok := <-l.cancelled:
			if ok {
				return errors.New("the broker cancelled the subscription: another client deleted the queue")
			}
			return lost(<-l.closed)
		case cause := <-l.publisher.Load().closed:
			if err := l.replacePublisher(ctx, cause); err != nil {
				return err
			}
		case state, ok := <-l.alarms:
			switch {
			case !ok:
				l.alarms = nil
			case state.Active:
				l.conn.alarm.Store(&state.Reason)
				l.conn.Note("blocked: the broker takes no messages: %s", state.Reason)
			default:
				l.conn.alarm.Store(nil)
				l.conn.Note("unblocked: the broker takes messages again")
			}
		}
	}
}

// lost returns why a channel was closed; cause is nil if the broker gave no reason.
func lost(cause *amqp.Error) error {
	if cause == nil {
		return errors.New("the connection was closed")
	}
	return serverError{cause}
}

// returned is the error of a message that the broker returned.
func returned(back amqp.Return) error {
	return fmt.Errorf("the broker returned the message: %s: another client deleted the queue", back.ReplyText)
}

// replacePublisher opens a new channel if the broker closed the old one because a
// message was too large. It returns any other cause: then the connection is gone
// too, or the queue or exchange is gone and has to be declared again.
func (l *link) replacePublisher(ctx context.Context, cause *amqp.Error) error {
	limit, c := sizeLimit(cause), l.conn
	if limit == 0 || l.outgoing.IsClosed() {
		return lost(cause)
	}
	if c.factory.Headers.Stamp {
		limit += requester.StampSize // of the payload, which is no part of the body
	}
	refused := c.Explain("publishing", serverError{cause})
	c.refused.Store(&sizeError{limit, refused})
	old := l.publisher.Swap(nil)
	c.Note("the channel was closed: %v", refused)
	ctx, cancel := context.WithTimeout(ctx, transport.ReconnectTimeout)
	defer cancel()
	if err := l.during(ctx, l.publish); err != nil {
		return err
	}
	for _, m := range old.sent.after(limit) {
		c.Failed(m.payload(), refused)
	}
	return nil
}
