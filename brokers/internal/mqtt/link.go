package mqtt

import (
	"context"
	"errors"
	"fmt"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"
	pahosession "github.com/eclipse/paho.golang/paho/session"
	"github.com/eclipse/paho.golang/paho/session/state"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

// overhead is the most that a packet has besides topic and payload.
const overhead = 16

// A link is the two sockets of a connection, from one disconnect to the next.
type link struct {
	transport.Work

	up, down *client // one publishes, the other is subscribed
	window   *transport.Window[uint16]
	to, from string // topics
	qos      int
	largest  int // message that the broker takes; 0: it sets no limit
}

// open makes a link. When it returns, the broker has confirmed the subscription.
func (c *conn) open(ctx context.Context) (*link, error) {
	f, at := c.factory, topic(c.factory.Run, c.number)
	l := &link{window: transport.NewWindow[uint16](c.Acked, c.Failed), to: f.To(at), from: f.From(at), qos: f.options.qos}
	background := l.Begin(ctx)
	if err := l.connect(ctx, f, c); err != nil {
		l.Close(err)
		return nil, target.Because(ctx, err)
	}
	l.window.Publish = l.up.publisher(background, l.to, l.qos)
	l.Go(func() { l.window.Serve(background, l.up.publisher(background, l.to, l.qos)) })
	return l, nil
}

// connect connects both sockets, and keeps to the broker's limits.
func (l *link) connect(ctx context.Context, f *Factory, c *conn) (err error) {
	name := f.From(target.Name(f.Run, c.number)) // the two sides have different ones
	deliver := delivering(func(payload []byte) { c.Deliver(payload) })
	if l.down, err = f.dial(ctx, c.number, paho.Connect{ClientID: name + ".sub", CleanStart: true}, deliver, l.Lose); err != nil {
		return err
	}
	if err = l.down.subscribe(ctx, l.from, l.qos); err != nil {
		return err
	}
	reporting := paho.ClientConfig{Session: session{state.NewInMemory(), l.window, make(map[uint16]byte)}}
	if l.up, err = f.dial(ctx, c.number, paho.Connect{ClientID: name, CleanStart: true}, reporting, l.Lose); err != nil {
		return err
	}
	if l.up.qos < l.qos {
		return fmt.Errorf("%w above %d", errQoS, l.up.qos)
	}
	l.window.Size = l.up.window
	if l.up.packet > 0 {
		l.largest = max(1, l.up.packet-max(len(l.from), len(l.to))-overhead)
	}
	return nil
}

// Cut implements [transport.Link].
func (l *link) Cut() {
	l.up.socket.Cut()
	l.down.socket.Cut()
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
	answer, err := l.up.Publish(ctx, &paho.Publish{Topic: l.from, QoS: byte(l.qos), Payload: message})
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
		s.window.Sent(m.PacketID, m.Payload)
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
