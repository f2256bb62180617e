package mqtt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

// overhead is the most that a packet has besides topic and payload.
const overhead = 16

// A link is the two sockets of a connection, from one disconnect to the next.
type link struct {
	up, down *client // one publishes, the other is subscribed
	session  *session
	topic    string        // that is subscribed
	single   *paho.Publish // only Send uses it
	largest  int           // message that the broker takes; 0: it sets no limit
	failed   func(message []byte, cause error)
	queue    *transport.SendQueue // of messages that wait for the broker's window
	cancel   context.CancelFunc
	work     sync.WaitGroup
}

// open makes a link. When it returns, the broker has confirmed the subscription.
func (f *Factory) open(ctx context.Context, c *conn) (l *link, err error) {
	l = &link{topic: f.sides.From(topic(f.run, c.number)), failed: c.Failed, queue: transport.NewSendQueue(), session: newSession(c.Acked, c.Failed)}
	l.single = &paho.Publish{Topic: f.sides.To(topic(f.run, c.number)), QoS: byte(f.options.qos)}
	name := f.sides.From(target.Name(f.run, c.number)) // the two sides have different ones
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	if l.down, err = f.dial(ctx, c.number, dialOptions{id: name + ".sub", deliver: c.Deliver}); err == nil {
		err = l.down.subscribe(ctx, l.topic, f.options.qos)
	}
	if err == nil {
		l.up, err = f.dial(ctx, c.number, dialOptions{id: name, session: l.session})
	}
	if err == nil {
		err = l.limit(f.options.qos)
	}
	if err != nil {
		l.Close(err)
		return nil, target.Because(ctx, err)
	}
	l.work.Go(func() {
		message := *l.single
		l.queue.Serve(background, func(payload []byte) error { return l.up.publish(background, &message, payload) }, l.failed)
	})
	l.work.Go(func() {
		select {
		case err := <-l.up.lost:
			l.down.lose(err)
		case <-background.Done():
		}
	})
	return l, nil
}

var (
	errQoS      = errors.New("the broker does not grant QoS")
	errTooLarge = errors.New("the broker takes no packet so large")
)

// limit keeps to the broker's limits.
func (l *link) limit(qos int) error {
	packet, highest, window := l.up.limits()
	if highest < qos {
		return fmt.Errorf("%w above %d", errQoS, highest)
	}
	l.session.window = window
	if packet > 0 {
		l.largest = max(1, packet-max(len(l.topic), len(l.single.Topic))-overhead)
	}
	return nil
}

// Lost implements [transport.Link].
func (l *link) Lost() <-chan error { return l.down.lost }

// Cut implements [transport.Link].
func (l *link) Cut() {
	l.up.socket.Cut()
	l.down.socket.Cut()
}

// Close implements [transport.Link].
func (l *link) Close(cause error) {
	l.cancel()
	for _, message := range l.queue.Close(cause) {
		l.failed(message, cause)
	}
	for _, c := range []*client{l.up, l.down} {
		if c != nil {
			l.work.Go(func() { c.close(false) })
		}
	}
	l.work.Wait()
}

// Probe implements [transport.Link]. The probe need not be sent again: the subscription is in
// force already.
func (l *link) Probe(ctx context.Context, message []byte) error {
	answer, err := l.up.Publish(ctx, &paho.Publish{Topic: l.topic, QoS: l.single.QoS, Payload: message})
	if answer != nil && answer.ReasonCode >= reasonRefused {
		return &reason{what: "the broker refused the message", code: answer.ReasonCode}
	}
	return err
}

// Send implements [transport.Link]: it writes a message to the socket, or queues it if the broker's
// window is used up.
func (l *link) Send(payload []byte) error {
	switch {
	case l.largest > 0 && len(payload) > l.largest:
		return fmt.Errorf("%w: %d B, and %d B at most", errTooLarge, len(payload), l.largest)
	case l.single.QoS == 0 || l.session.room() && l.queue.Empty():
		return l.up.publish(context.Background(), l.single, payload)
	}
	return l.queue.Add(payload)
}
