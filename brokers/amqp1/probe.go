package amqp1

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/requester"
)

// errBlocked is that the broker lets nobody send: it has an alarm.
var errBlocked = errors.New("the broker takes no messages")

// blocked returns why a message could not be sent: ctx has ended while the broker took none,
// or err.
func blocked(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w: %w", errBlocked, ctx.Err())
}

// probe sends a message through the link and waits for it. It need not be sent
// again: the link delivers already.
func (l *link) probe(ctx context.Context, o *options) error {
	message := make([]byte, requester.StampSize)
	_, _ = rand.Read(message) // never fails
	return l.during(ctx, func() error {
		if err := l.sendProbe(ctx, o, message); err != nil {
			return err
		}
		return l.awaitProbe(ctx, o, message)
	})
}

// sendProbe sends a probe.
func (l *link) sendProbe(ctx context.Context, o *options, message []byte) error {
	m := o.message()
	m.Data[0] = message
	if !o.confirm {
		return blocked(ctx, l.sender.Send(ctx, m, &amqp.SendOptions{Settled: true}))
	}
	receipt, err := l.sender.SendWithReceipt(ctx, m, nil)
	if err != nil {
		return blocked(ctx, err)
	}
	state, err := receipt.Wait(ctx)
	if err != nil {
		return err
	}
	return refused(state)
}

// awaitProbe waits for a message to come back.
func (l *link) awaitProbe(ctx context.Context, o *options, message []byte) error {
	for {
		m, err := l.receiver.Receive(ctx, nil)
		if err != nil {
			return err
		}
		o.taken(ctx, l, m)
		if bytes.Equal(m.GetData(), message) {
			return nil
		}
	}
}
