package mqtt

import (
	"context"
	"errors"
	"sync"

	"github.com/eclipse/paho.golang/packets"
	pahosession "github.com/eclipse/paho.golang/paho/session"
	"github.com/eclipse/paho.golang/paho/session/state"

	"github.com/brokerbench/brokerbench/requester"
)

// A session is paho's, and reports what became of each message: paho itself only tells a
// goroutine that waits for one message.
type session struct {
	*state.State

	acked  func(stamp []byte)
	failed func(stamp []byte, cause error)

	mu     sync.Mutex
	sent   map[uint16]stamp // messages without an answer, by packet identifier
	window int              // how many there may be
	last   stamp            // the last that was acknowledged
}

// A stamp is the head of a message.
type stamp struct {
	head   [requester.StampSize]byte
	unread bool // nobody is subscribed, the broker says of a message of QoS 2
}

func newSession(acked func([]byte), failed func([]byte, error)) *session {
	return &session{State: state.NewInMemory(), acked: acked, failed: failed, sent: make(map[uint16]stamp), window: maxReceive}
}

// AddToSession implements [pahosession.SessionManager].
func (s *session) AddToSession(ctx context.Context, p pahosession.Packet, answer chan<- packets.ControlPacket) error {
	if err := s.State.AddToSession(ctx, p, answer); err != nil {
		return err
	}
	if m, ok := p.(*packets.Publish); ok && len(m.Payload) >= requester.StampSize { // else it is a probe
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent[m.PacketID] = stamp{head: [requester.StampSize]byte(m.Payload)}
	}
	return nil
}

// PacketReceived implements [pahosession.SessionManager].
func (s *session) PacketReceived(p *packets.ControlPacket, deliver chan<- *packets.Publish) error {
	switch packet := p.Content.(type) {
	case *packets.Puback:
		s.settle(packet.PacketID, packet.ReasonCode)
	case *packets.Pubcomp:
		s.settle(packet.PacketID, packet.ReasonCode)
	case *packets.Pubrec:
		if packet.ReasonCode >= reasonRefused {
			s.settle(packet.PacketID, packet.ReasonCode)
		} else if packet.ReasonCode == reasonNoSubscribers {
			s.mu.Lock()
			if one, ok := s.sent[packet.PacketID]; ok {
				one.unread = true
				s.sent[packet.PacketID] = one
			}
			s.mu.Unlock()
		}
	}
	return s.State.PacketReceived(p, deliver)
}

var errNobody = errors.New("the broker has no subscriber for the message")

// settle passes on what became of a message.
func (s *session) settle(id uint16, code byte) {
	s.mu.Lock()
	one, ok := s.sent[id]
	delete(s.sent, id)
	acked := ok && code < reasonRefused && code != reasonNoSubscribers && !one.unread
	if acked {
		s.last = one
	}
	s.mu.Unlock()
	switch {
	case acked:
		s.acked(one.head[:])
	case ok && code >= reasonRefused:
		s.failed(one.head[:], &reason{what: "the broker refused the message", code: code})
	case ok:
		s.failed(one.head[:], errNobody)
	}
}

// room reports whether the broker's window has room for a message.
func (s *session) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent) < s.window
}

// lastAcked returns the head of the last message that was acknowledged; nil if none was.
func (s *session) lastAcked() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == (stamp{}) {
		return nil
	}
	return append([]byte(nil), s.last.head[:]...)
}
