package amqp1

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/requester"
)

var (
	errReleased = errors.New("the broker released the message: it reached no queue, so that somebody has deleted it")
	errRejected = errors.New("the broker rejected the message: the queue may be full, see max-length")
)

// A sent is a message that waits for its outcome.
type sent struct {
	stamp   [requester.StampSize]byte
	size    int
	receipt amqp.SendReceipt
}

// message returns what is told of it: enough to know it by.
func (s *sent) message() []byte { return s.stamp[:min(s.size, len(s.stamp))] }

// publish hands what is in the outbox to go-amqp, until the link is lost or ctx ends.
func (c *conn) publish(ctx context.Context, l *link) {
	message := c.factory.options.message()
	for {
		payload := l.outbox.Next(ctx)
		if payload == nil {
			return
		}
		message.Data[0] = payload
		if err := c.send(ctx, l, message); err != nil {
			l.lose(err)
			return
		}
		l.outbox.Reuse(payload)
	}
}

// settledLimit is the largest message that is sent settled: of one that takes several frames
// go-amqp sends only the last one as settled, which RabbitMQ refuses. Its largest frame, frame_max,
// is 128 KiB by default.
const settledLimit = 120 << 10

// send sends one message. An error means that the link is lost, and that the message may have
// been sent or not: if it was, it comes back.
func (c *conn) send(ctx context.Context, l *link, m *amqp.Message) (err error) {
	s := sent{size: len(m.Data[0])}
	confirm := c.factory.options.confirm
	if confirm || s.size > settledLimit {
		copy(s.stamp[:], m.Data[0])
		s.receipt, err = l.sender.SendWithReceipt(ctx, m, nil)
	} else {
		err = l.sender.Send(ctx, m, &amqp.SendOptions{Settled: true})
	}
	switch {
	case tooLarge(err):
		c.failed(m.Data[0], err)
		return nil
	case err != nil || !confirm:
		return err
	}
	select {
	case l.sent <- s:
	case <-ctx.Done():
	}
	return nil
}

// tooLarge tells whether go-amqp refused a message because the broker takes none so large.
func tooLarge(err error) bool {
	var cause *amqp.Error
	return errors.As(err, &cause) && cause.Condition == amqp.ErrCondMessageSizeExceeded
}

// settle passes on what became of messages, the oldest first, until the link is lost or ctx
// ends. Those without an outcome may then be in the queue or not: those that are have a reply.
//
// The broker settles the messages of a queue in their order. Where it does not, an outcome
// waits here for those of older messages.
func (c *conn) settle(ctx context.Context, l *link) {
	for {
		select {
		case s := <-l.sent:
			state, err := s.receipt.Wait(ctx)
			if err != nil {
				l.lose(err)
				return
			}
			c.outcome(s.message(), state)
		case <-ctx.Done():
			return
		}
	}
}

// outcome passes on what became of one message.
func (c *conn) outcome(message []byte, state amqp.DeliveryState) {
	if err := refused(state); err != nil {
		c.failed(message, err)
	} else if c.acked != nil && !c.ending.Load() {
		c.acked(message)
	}
}

// refused returns why the broker did not accept a message; nil if it did.
func refused(state amqp.DeliveryState) error {
	switch state := state.(type) {
	case *amqp.StateAccepted:
		return nil
	case *amqp.StateReleased:
		return errReleased
	case *amqp.StateRejected:
		if state.Error != nil {
			return fmt.Errorf("%w: %w", errRejected, state.Error)
		}
		return errRejected
	}
	return fmt.Errorf("the broker's outcome of the message is unknown: %T", state)
}

// failed reports that a message failed after Request had returned.
func (c *conn) failed(message []byte, cause error) {
	if !c.ending.Load() {
		c.fail(message, c.factory.explain("publishing", cause))
	}
}
