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

// errBlocked is that the broker grants no credit: it has an alarm.
var errBlocked = errors.New("the broker takes no messages")

// probe sends a message through the link and waits for it. It need not be sent
// again: the link delivers already.
func (l *link) probe(ctx context.Context, o *options) error {
	message := make([]byte, requester.StampSize)
	_, _ = rand.Read(message) // never fails
	sent := false
	err := l.during(ctx, func() (err error) {
		if sent, err = l.sendProbe(ctx, o, message); err != nil {
			return err
		}
		return l.awaitProbe(ctx, o, message)
	})
	if err != nil && !sent && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errBlocked, err)
	}
	return err
}

// sendProbe sends a probe, and tells whether it is in the socket.
func (l *link) sendProbe(ctx context.Context, o *options, message []byte) (sent bool, err error) {
	m := o.message()
	m.Data[0] = message
	if !o.confirm {
		err = l.sender.Send(ctx, m, &amqp.SendOptions{Settled: true})
		return err == nil, err
	}
	receipt, err := l.sender.SendWithReceipt(ctx, m, nil)
	if err != nil {
		return false, err
	}
	state, err := receipt.Wait(ctx)
	if err == nil {
		err = refused(state)
	}
	return true, err
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
