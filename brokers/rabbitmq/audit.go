package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// How an audit queue is read: auditPrefetch messages may be on their way, acknowledged by the
// auditBatch. auditSilence is how long none comes before the audit gives up.
const (
	auditPrefetch = 10_000
	auditBatch    = 1000
	auditSilence  = 15 * time.Second
)

var errNoAudit = errors.New("what is delivered leaves its queue, and there is no audit-queue")

// Audit implements [requester.Auditor]: it drains the audit queues, with acknowledgements.
// Without them there is nothing to read back: a consumer takes out of a queue what is
// delivered.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.auditQueue {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	s, err := f.dial(ctx, 0, "brokerbench audits")
	if err != nil {
		return f.explain("connecting", err)
	}
	defer s.close()
	queues, gone := f.made.All(), 0
	for _, queue := range queues {
		err := s.during(ctx, func() error { return s.drain(queue, kept) })
		var cause *amqp.Error
		switch {
		case errors.As(err, &cause) && cause.Code == amqp.NotFound:
			gone++ // with all that was in it; the channel is closed, the connection is not
		case err != nil:
			return f.explain("reading queue "+queue, plain(err))
		}
	}
	if gone > 0 && gone == len(queues) {
		return requester.ErrStoreGone
	}
	return nil
}

// drain takes all messages out of a queue.
func (s *session) drain(queue string, kept func([]byte)) error {
	channel, err := s.Channel()
	if err != nil {
		return err
	}
	closed := channel.NotifyClose(make(chan *amqp.Error, 1))
	if err := channel.Qos(auditPrefetch, 0, false); err != nil {
		return err
	}
	state, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
	if err != nil {
		return err
	}
	deliveries, err := channel.Consume(queue, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	for n := state.Messages; n > 0; n = state.Messages {
		if err := take(n, deliveries, closed, kept); err != nil {
			return err
		}
		if state, err = channel.QueueDeclarePassive(queue, true, false, false, false, nil); err != nil {
			return err
		}
	}
	return channel.Close()
}

// take takes n messages, and acknowledges them.
func take(n int, deliveries <-chan amqp.Delivery, closed <-chan *amqp.Error, kept func([]byte)) error {
	silence := time.NewTimer(auditSilence)
	defer silence.Stop()
	for i := 1; i <= n; i++ {
		select {
		case d, open := <-deliveries:
			if !open {
				return lost(<-closed)
			}
			kept(d.Body)
			if i%auditBatch != 0 && i < n {
				continue
			}
			if err := d.Ack(true); err != nil {
				return err
			}
			silence.Reset(auditSilence)
		case <-silence.C:
			return fmt.Errorf("%d of %d messages in %v", i%auditBatch, auditBatch, auditSilence)
		}
	}
	return nil
}
