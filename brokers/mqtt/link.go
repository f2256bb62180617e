package mqtt

import (
	"context"
	"fmt"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/outbox"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/eclipse/paho.golang/paho"
)

// overhead is the most that a packet has besides topic and payload.
const overhead = 16

// A link is the two sockets of a conn, from one disconnect to the next.
type link struct {
	up, down *client // one publishes, the other is subscribed
	topic    string  // that is subscribed
	sendsTo  string
	qos      byte
	largest  int // message that the broker takes; 0: it sets no limit
	outbox   *outbox.Box
	work     sync.WaitGroup // the goroutines that run for it
	cancel   func()         // ends them

	mu     sync.Mutex
	queued int // messages in the outbox, or on their way from it
}

// join makes a link. When it returns, the broker has confirmed the subscription.
func (f *Factory) join(ctx context.Context, c *conn) (*link, error) {
	named := topic(f.run, c.number)
	l := &link{topic: f.sides.From(named), sendsTo: f.sides.To(named), qos: byte(f.options.qos), outbox: outbox.New()}
	var err error
	name := f.sides.From(target.Name(f.run, c.number)) // no two sides have one
	if l.down, err = f.dial(ctx, c.number, dialling{id: name + ".sub", deliver: c.deliver}); err != nil {
		return nil, err
	}
	if err = l.down.subscribe(ctx, l.topic, f.options.qos); err == nil {
		l.up, err = f.dial(ctx, c.number, dialling{id: name, session: c.session()})
	}
	if err == nil && l.up.highestQoS() < f.options.qos {
		err = fmt.Errorf("%w above %d", errQoS, l.up.highestQoS())
	}
	if err != nil {
		l.close()
		return nil, target.Because(ctx, err)
	}
	if most := l.up.largest(); most > 0 {
		l.largest = max(1, most-max(len(l.topic), len(l.sendsTo))-overhead)
	}
	return l, nil
}

// close ends both connections.
func (l *link) close() {
	var closing sync.WaitGroup
	for _, c := range []*client{l.up, l.down} {
		if c != nil {
			closing.Go(func() { c.close(false) })
		}
	}
	closing.Wait()
}

// cut ends whatever hangs on the connections.
func (l *link) cut() {
	l.up.socket.cut()
	l.down.socket.cut()
}

// send writes a message to the socket, or leaves it to drain if the broker's window is used up.
func (l *link) send(message *paho.Publish, payload []byte) error {
	if l.largest > 0 && len(payload) > l.largest {
		return fmt.Errorf("%w: %d B, and %d B at most", errTooLarge, len(payload), l.largest)
	}
	if l.qos > 0 && l.queue() {
		err := l.outbox.Add(payload)
		if err != nil {
			l.unqueue()
		}
		return err
	}
	return l.publish(message, payload)
}

// queue tells whether a message must wait, and counts it then.
func (l *link) queue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued == 0 && l.up.session.room(false) {
		return false
	}
	l.queued++
	return true
}

func (l *link) unqueue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queued--
}

// publish writes a message to the socket.
func (l *link) publish(message *paho.Publish, payload []byte) error {
	message.Payload = payload
	if _, err := l.up.PublishWithOptions(context.Background(), message, paho.PublishOptions{Method: paho.PublishMethod_AsyncSend}); err != nil {
		return err
	}
	return l.up.socket.writable() // paho does not see that the last piece was not written
}

// message returns one that is to be sent.
func (l *link) message() *paho.Publish { return &paho.Publish{Topic: l.sendsTo, QoS: l.qos} }

// drain publishes what waits, as the broker's window allows, until ctx ends or the connection is
// lost. It passes on a message that it could not publish.
func (l *link) drain(ctx context.Context, failed func([]byte, error)) {
	message := l.message()
	for {
		payload := l.outbox.Next(ctx)
		if payload == nil {
			return
		}
		for !l.up.session.room(true) {
			select {
			case <-l.up.session.freed:
			case <-ctx.Done():
				failed(payload, errConnection)
				return
			}
		}
		if err := l.publish(message, payload); err != nil {
			failed(payload, err)
			return
		}
		l.unqueue()
		l.outbox.Reuse(payload)
	}
}
