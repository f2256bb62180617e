package mqtt

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"
	pahosession "github.com/eclipse/paho.golang/paho/session"
	"github.com/eclipse/paho.golang/paho/session/state"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

// overhead is the most that a packet has besides topic and payload.
const overhead = 16

// received is at the end of the client identifier of the socket that is subscribed.
const received = ".sub"

// memberExpiry is how long the session of a member outlives its last connection.
const memberExpiry = 10 * time.Minute

// A link is the two sockets of a connection, from one disconnect to the next.
type link struct {
	transport.Work

	conn     *conn
	up, down *client // one publishes, the other is subscribed; nil: the connection does not
	window   *transport.Window[uint16]
	passed   atomic.Int64 // deliveries
	qos      int
	largest  int // message that the broker takes; 0: it sets no limit
}

// open makes a link. When it returns, the broker has confirmed the subscription.
func (c *conn) open(ctx context.Context) (*link, error) {
	l := &link{conn: c, window: transport.NewWindow[uint16](c.Acked, c.Failed), qos: c.factory.options.qos}
	background := l.Begin(ctx)
	if err := l.connect(ctx); err != nil {
		l.Close(err)
		return nil, target.Because(ctx, err)
	}
	if l.up != nil {
		publisher := func() func([]byte) error { return l.up.publisher(background, c.to, l.qos, c.factory.headers) }
		l.window.Publish = publisher()
		l.Go(func() { l.window.Serve(background, publisher()) })
	}
	return l, nil
}

// connect connects the sockets of the connection.
func (l *link) connect(ctx context.Context) error {
	if len(l.conn.from) > 0 {
		if err := l.subscribe(ctx); err != nil {
			return err
		}
	}
	if l.conn.to == "" {
		return nil
	}
	return l.connectPublisher(ctx)
}

// subscribe connects the socket that receives.
func (l *link) subscribe(ctx context.Context) (err error) {
	c := l.conn
	deliver := delivering(func(stamp string, message []byte) {
		c.DeliverWith(stamp, message)
		l.passed.Add(1)
	})
	open := paho.Connect{ClientID: c.name + received, CleanStart: !c.stays}
	if c.stays {
		open.Properties = &paho.ConnectProperties{SessionExpiryInterval: new(uint32(memberExpiry / time.Second))}
	}
	if l.down, err = c.factory.dial(ctx, c.number, open, deliver, l.Lose); err != nil {
		return err
	}
	if c.factory.topology.Members > 1 && !l.down.shared {
		return errShared
	}
	for _, filter := range c.from {
		if err = l.down.subscribe(ctx, filter, l.qos); err != nil {
			return err
		}
	}
	return nil
}

// connectPublisher connects the socket that publishes, and keeps to the broker's limits.
func (l *link) connectPublisher(ctx context.Context) (err error) {
	c := l.conn
	reporting := paho.ClientConfig{Session: session{state.NewInMemory(), l.window, make(map[uint16]byte)}}
	if l.up, err = c.factory.dial(ctx, c.number, paho.Connect{ClientID: c.name, CleanStart: true}, reporting, l.Lose); err != nil {
		return err
	}
	if l.up.qos < l.qos {
		return fmt.Errorf("%w above %d", errQoS, l.up.qos)
	}
	l.window.Size = l.up.window
	if l.up.packet > 0 {
		l.largest = max(1, l.up.packet-len(c.to)-overhead-c.factory.headers.Overhead(headerOverhead))
	}
	return nil
}

// Cut implements [transport.Link].
func (l *link) Cut() {
	for _, c := range []*client{l.up, l.down} {
		if c != nil {
			c.socket.Cut()
		}
	}
}

// quiet is how long nothing comes after the last delivery of a subscription that has ended.
const quiet = 100 * time.Millisecond

// Drain implements [transport.Drainer].
func (l *link) Drain(ctx context.Context) {
	if l.down == nil || l.conn.stays { // its subscription stays
		return
	}
	defer context.AfterFunc(ctx, l.down.socket.Cut)()
	if _, err := l.down.Unsubscribe(ctx, &paho.Unsubscribe{Topics: l.conn.from}); err != nil {
		return
	}
	for passed := int64(-1); passed != l.passed.Load(); {
		passed = l.passed.Load()
		select {
		case <-ctx.Done():
		case <-time.After(quiet):
		}
	}
}

// Close implements [transport.Link].
func (l *link) Close(cause error) {
	l.Stop()
	l.window.Close(cause)
	for _, c := range []*client{l.up, l.down} {
		if c != nil {
			l.Go(func() { c.close(false) })
		}
	}
	l.Wait()
}

// Probe implements [transport.Link]. The probe need not be sent again: the subscription is in
// force already.
func (l *link) Probe(ctx context.Context, message []byte) error {
	answer, err := l.up.Publish(ctx, &paho.Publish{Topic: l.conn.from[0], QoS: byte(l.qos), Payload: message})
	if answer != nil {
		return cause(answer.ReasonCode)
	}
	return err
}

// Send implements [transport.Link]: it writes a message to the socket, or queues it if the broker's
// window is used up.
func (l *link) Send(payload []byte) error {
	switch {
	case l.largest > 0 && len(payload) > l.largest:
		return fmt.Errorf("%w: %d B, and %d B at most", errTooLarge, len(payload), l.largest)
	case l.qos == 0:
		return l.window.Publish(payload)
	}
	return l.window.Send(payload)
}

// A session is paho's, and reports what became of each message: paho itself only tells a
// goroutine that waits for one message.
type session struct {
	*state.State

	window   *transport.Window[uint16] // by packet identifier
	received map[uint16]byte           // the reason codes of PUBREC; only PacketReceived uses it
}

var errNobody = errors.New("the broker has no subscriber for the message")

// AddToSession implements [pahosession.SessionManager].
func (s session) AddToSession(ctx context.Context, p pahosession.Packet, answer chan<- packets.ControlPacket) error {
	err := s.State.AddToSession(ctx, p, answer)
	if m, ok := p.(*packets.Publish); ok && err == nil {
		s.window.Sent(m.PacketID, headOf(m))
	}
	return err
}

// PacketReceived implements [pahosession.SessionManager]. A PUBREC that refuses the message ends the exchange; any
// other keeps its place in the window until PUBCOMP, even if it says that no subscriber gets the message.
func (s session) PacketReceived(p *packets.ControlPacket, deliver chan<- *packets.Publish) error {
	switch packet := p.Content.(type) {
	case *packets.Puback:
		s.window.Answered(packet.PacketID, cause(packet.ReasonCode))
	case *packets.Pubrec:
		if s.received[packet.PacketID] = packet.ReasonCode; packet.ReasonCode >= reasonRefused {
			s.window.Answered(packet.PacketID, cause(packet.ReasonCode))
		}
	case *packets.Pubcomp:
		s.window.Answered(packet.PacketID, cause(max(packet.ReasonCode, s.received[packet.PacketID])))
	}
	return s.State.PacketReceived(p, deliver)
}

// cause returns why a message failed with that answer; nil if it did not.
func cause(code byte) error {
	switch {
	case code >= reasonRefused:
		return &reason{what: "the broker refused the message", code: code}
	case code == reasonNoSubscribers:
		return errNobody
	}
	return nil
}
