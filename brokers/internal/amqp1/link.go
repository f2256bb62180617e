package amqp1

import (
	"cmp"
	"context"
	"fmt"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

// sentKept is how many messages may wait for their outcome: more than the broker grants
// credit for, which is some 255.
const sentKept = 4096

// A link is the AMQP side of a conn, from one disconnect to the next. Each direction has a
// session: go-amqp's session does nothing else while it writes a message.
type link struct {
	*client
	transport.Work

	conn          *conn
	sender        *amqp.Sender
	receiver      *amqp.Receiver
	queue         *transport.SendQueue
	sent          chan sent     // unused without confirm
	delivered     chan struct{} // closed when deliver has returned
	stopReceiving func()        // ends deliver alone, when all deliveries that came are passed on
	granting      credit
}

// open makes a link. After an error only a queue that is not exclusive may be left behind.
func (f *Factory) open(ctx context.Context, conn *conn) (*link, error) {
	c, err := f.dial(ctx, conn.Number, cmp.Or(conn.Queue, conn.SendsTo))
	if err != nil {
		return nil, plain(err)
	}
	l := &link{
		client: c, conn: conn, queue: transport.NewSendQueue(),
		sent: make(chan sent, sentKept), delivered: make(chan struct{}),
	}
	if err := c.During(ctx, func() error { return l.attach(ctx) }); err != nil {
		c.close()
		return nil, plain(err)
	}
	background := l.Begin(ctx)
	receiving, stop := context.WithCancel(background)
	l.stopReceiving = stop
	if conn.Queue != "" {
		l.Go(func() { l.deliver(background, receiving) })
	}
	l.Go(func() { l.publish(background) })
	if f.options.confirm {
		l.Go(func() { l.settle(background) })
	}
	return l, nil
}

// attach declares the queue and attaches both directions to it, or the one that the connection has. When it
// returns, the broker has confirmed that it delivers.
func (l *link) attach(ctx context.Context) (err error) {
	c := l.conn
	if c.factory.options.address != "" {
		return l.attachPlain(ctx)
	}
	declare := func() error { return l.manage(ctx, func(n *node) error { return n.declare(ctx, c) }) }
	if err := c.factory.InTurn(ctx, declare); err != nil {
		return err
	}
	if c.SendsTo != "" {
		if err := l.attachSender(ctx, c.factory.address(c)); err != nil {
			return err
		}
	}
	if c.Queue != "" {
		return l.attachReceiver(ctx, queuePath(c.Queue))
	}
	return nil
}

func (l *link) attachSender(ctx context.Context, to string) error {
	outgoing, err := l.NewSession(ctx, nil)
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	if l.sender, err = outgoing.NewSender(ctx, to, l.conn.factory.options.sending()); err != nil {
		return fmt.Errorf("attaching to send to %s: %w", to, err)
	}
	return nil
}

func (l *link) attachReceiver(ctx context.Context, from string) error {
	o := &l.conn.factory.options
	incoming, err := l.NewSession(ctx, nil)
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	if l.receiver, err = incoming.NewReceiver(ctx, from, o.receiving()); err != nil {
		return fmt.Errorf("attaching to consume from %s: %w", from, err)
	}
	l.granting = credit{of: l.receiver, half: uint32(o.credit) / 2}
	return l.receiver.IssueCredit(uint32(o.credit))
}

// sending returns how messages are sent.
func (o *options) sending() *amqp.SenderOptions {
	settled := amqp.SenderSettleModeMixed // see settledLimit
	if o.confirm {
		settled = amqp.SenderSettleModeUnsettled
	}
	return &amqp.SenderOptions{
		SettlementMode: settled.Ptr(), RequestedReceiverSettleMode: amqp.ReceiverSettleModeFirst.Ptr(), TargetCapabilities: o.capabilities(),
	}
}

// receiving returns how messages are delivered.
func (o *options) receiving() *amqp.ReceiverOptions {
	settled := amqp.SenderSettleModeSettled
	if o.accept {
		settled = amqp.SenderSettleModeUnsettled
	}
	return &amqp.ReceiverOptions{
		Credit: -1, RequestedSenderSettleMode: settled.Ptr(), SettlementMode: amqp.ReceiverSettleModeFirst.Ptr(),
		DynamicAddress: o.address == dynamic, SourceCapabilities: o.capabilities(),
	}
}

// blocked returns err, or that the broker takes no messages if ctx has ended while a message
// could not be sent.
func blocked(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w: %w", transport.ErrBlocked, ctx.Err())
}

// Probe implements [transport.Link].
func (l *link) Probe(ctx context.Context, message []byte) error {
	return l.During(ctx, func() error { return l.probe(ctx, message) })
}

func (l *link) probe(ctx context.Context, payload []byte) error {
	o := &l.conn.factory.options
	m := o.message()
	m.Data[0] = payload
	if !o.confirm {
		return blocked(ctx, l.sender.Send(ctx, m, &amqp.SendOptions{Settled: true}))
	}
	return l.probeWith(ctx, m)
}

// probeWith sends a message, and returns why it was not accepted.
func (l *link) probeWith(ctx context.Context, m *amqp.Message) error {
	receipt, err := l.sender.SendWithReceipt(ctx, m, nil)
	if err != nil {
		return blocked(ctx, err)
	}
	state, err := receipt.Wait(ctx)
	if err != nil {
		return err
	}
	return rejection(state)
}

// Send implements [transport.Link]. It never blocks.
func (l *link) Send(payload []byte) error { return l.queue.Add(payload) }

// Cut implements [transport.Link]. If deliveries are not accepted, the broker has forgotten those on
// their way.
func (l *link) Cut() {
	if !l.conn.factory.options.accept {
		l.conn.factory.Broke()
	}
	l.client.Cut()
}

// Drain implements [transport.Drainer]. Deliveries that are not accepted go back to the queue, but not those of
// a member, which leaves.
func (l *link) Drain(ctx context.Context) {
	if l.conn.factory.options.accept && !l.conn.OneWay {
		l.conn.Mute()
	} else {
		l.granting.stop(ctx)
	}
	l.stopReceiving()
	select {
	case <-l.delivered:
	case <-ctx.Done():
	}
}

// Close implements [transport.Link]. The broker confirms the end of a consumer, at which it deletes
// an exclusive queue, but not the end of a connection.
func (l *link) Close(cause error) {
	l.queue.Fail(cause, l.conn.Failed)
	l.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, l.client.Cut)()
	if l.receiver != nil {
		_ = l.receiver.Close(ctx) // at once if the link is lost
	}
	l.close()
	l.Wait()
}
