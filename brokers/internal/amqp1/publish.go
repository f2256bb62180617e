package amqp1

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

var (
	errReleased = errors.New("the broker released the message: it is in no queue")
	errRejected = errors.New("the broker rejected the message")
)

// A sent is a message that waits for its outcome.
type sent struct {
	stamp   [requester.StampSize]byte
	size    int
	receipt amqp.SendReceipt
}

// payload returns the part of the payload that identifies the message.
func (s *sent) payload() []byte { return s.stamp[:min(s.size, len(s.stamp))] }

// publish hands the messages in the send queue to go-amqp, until the link is lost or ctx ends.
func (l *link) publish(ctx context.Context) {
	message := l.conn.factory.options.message()
	for {
		payload := l.queue.Next(ctx)
		if payload == nil {
			return
		}
		message.ApplicationProperties, message.Data[0] = transport.Properties(l.conn.factory.Headers, payload)
		if err := l.send(ctx, message, payload); err != nil {
			l.Lose(plain(err))
			return
		}
		l.queue.Reuse(payload)
	}
}

// message returns an empty message. RabbitMQ takes one without a header for durable.
func (o *options) message() *amqp.Message {
	return &amqp.Message{Header: &amqp.MessageHeader{Durable: o.queue.Persistent, Priority: 4}, Data: make([][]byte, 1)}
}

// settledLimit is the largest message that is sent settled: of one that takes several frames
// go-amqp sends only the last one as settled, which RabbitMQ refuses. Its largest frame, frame_max,
// is 128 KiB by default.
const settledLimit = 120 << 10

// headerOverhead is the most that a header has besides its name and value: a type and a length of both.
const headerOverhead = 10

// send sends the message of a payload. An error means that the link is lost, and that the message may have
// been sent or not: if so, it comes back.
func (l *link) send(ctx context.Context, m *amqp.Message, payload []byte) (err error) {
	s := sent{size: len(payload)}
	f := l.conn.factory
	confirm := f.options.confirm
	if confirm || s.size+f.Headers.Overhead(headerOverhead) > settledLimit {
		copy(s.stamp[:], payload)
		s.receipt, err = l.sender.SendWithReceipt(ctx, m, nil)
	} else {
		err = l.sender.Send(ctx, m, &amqp.SendOptions{Settled: true})
	}
	switch {
	case tooLarge(err):
		l.conn.Failed(payload, err)
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

// tooLarge reports whether go-amqp refused a message that is larger than the broker accepts.
func tooLarge(err error) bool {
	var cause *amqp.Error
	return errors.As(err, &cause) && cause.Condition == amqp.ErrCondMessageSizeExceeded
}

// settle reports the outcomes of messages, the oldest first, until the link is lost or ctx
// ends. Those without an outcome may then be in the queue or not: those that are have a reply.
//
// The broker settles the messages of a queue in their order. Otherwise an outcome waits here
// for those of older messages.
func (l *link) settle(ctx context.Context) {
	for {
		select {
		case s := <-l.sent:
			state, err := s.receipt.Wait(ctx)
			if err != nil {
				l.Lose(plain(err))
				return
			}
			if err := rejection(state); err != nil {
				l.conn.Failed(s.payload(), err)
			} else {
				l.conn.Acked(s.payload())
			}
		case <-ctx.Done():
			return
		}
	}
}

// rejection returns why the broker did not accept a message; nil if it did.
func rejection(state amqp.DeliveryState) error {
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
