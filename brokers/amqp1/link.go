package amqp1

import (
	"context"
	"fmt"
	"sync"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/outbox"
)

// sentKept is how many messages may wait for their outcome: more than the broker grants
// credit for, which is some 255.
const sentKept = 4096

// A link is the AMQP side of a conn, from one disconnect to the next. Each direction has a
// session of its own: go-amqp's session does nothing else while it writes a message.
type link struct {
	*client
	sender    *amqp.Sender
	receiver  *amqp.Receiver
	outbox    *outbox.Box
	sent      chan sent      // without confirm nothing is put into it
	lost      chan error     // gets why the link is lost, first
	delivered chan struct{}  // closed when deliver has returned
	work      sync.WaitGroup // the goroutines that run for it
	cancel    func()         // ends them
	hush      func()         // ends deliver alone, when all that came is passed on
	granting  credit
}

// connect makes a link. After an error only a queue that is not exclusive may be
// left behind.
func (f *Factory) connect(ctx context.Context, number int) (*link, error) {
	queue := f.queue(number)
	c, err := f.dial(ctx, number, queue)
	if err != nil {
		return nil, err
	}
	l := &link{
		client: c, outbox: outbox.New(), sent: make(chan sent, sentKept), lost: make(chan error, 3), delivered: make(chan struct{}),
	}
	err = c.during(ctx, func() error { return l.attach(ctx, &f.options, queue) })
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// attach declares the queue and attaches both directions to it. When it returns, the broker
// has confirmed that it delivers.
func (l *link) attach(ctx context.Context, o *options, queue string) error {
	if err := l.manage(ctx, func(n *node) error { return n.declare(ctx, queue, o) }); err != nil {
		return err
	}
	outgoing, err := l.NewSession(ctx, nil)
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	if l.sender, err = outgoing.NewSender(ctx, queuePath(queue), o.sending()); err != nil {
		return fmt.Errorf("attaching to send to queue %s: %w", queue, err)
	}
	incoming, err := l.NewSession(ctx, nil)
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	if l.receiver, err = incoming.NewReceiver(ctx, queuePath(queue), o.receiving()); err != nil {
		return fmt.Errorf("attaching to consume from queue %s: %w", queue, err)
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
	return &amqp.SenderOptions{SettlementMode: settled.Ptr(), RequestedReceiverSettleMode: amqp.ReceiverSettleModeFirst.Ptr()}
}

// receiving returns how messages are delivered.
func (o *options) receiving() *amqp.ReceiverOptions {
	settled := amqp.SenderSettleModeSettled
	if o.accept {
		settled = amqp.SenderSettleModeUnsettled
	}
	return &amqp.ReceiverOptions{
		Credit: -1, RequestedSenderSettleMode: settled.Ptr(), SettlementMode: amqp.ReceiverSettleModeFirst.Ptr(),
	}
}

// message returns one that is to be sent, with room for its payload. RabbitMQ takes a message
// without a header for a durable one.
func (o *options) message() *amqp.Message {
	return &amqp.Message{Header: &amqp.MessageHeader{Durable: o.queue.Persistent, Priority: 4}, Data: make([][]byte, 1)}
}

// lose says why the link is lost.
func (l *link) lose(err error) {
	select {
	case l.lost <- err:
	default: // it is known
	}
}

// end ends the connection, and waits for the goroutines of the link. The broker deletes an
// exclusive queue with its consumer, and has done so when that is detached; the end of the
// connection it does not confirm.
func (l *link) end() {
	l.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, l.cut)()
	_ = l.receiver.Close(ctx) // at once if the link is lost
	l.close()
	l.work.Wait()
}
