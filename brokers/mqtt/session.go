package mqtt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/eclipse/paho.golang/packets"
	pahosession "github.com/eclipse/paho.golang/paho/session"
)

var (
	errRefused    = errors.New("the broker refused the message")
	errNobody     = errors.New("the broker has no subscriber for the message")
	errWindow     = errors.New("the broker's window is used up")
	errConnection = errors.New("the connection is lost")
)

const (
	reasonRefused       = 0x80 // and what is above
	reasonNoSubscribers = 0x10
)

// A session has what waits for an answer of the broker's, over one connection. It is paho's
// [pahosession.SessionManager]: paho's own keeps each message to send it again over the next
// connection, and hands an acknowledgement to a goroutine that waits for it.
type session struct {
	quiet

	acked  func(stamp []byte)
	failed func(stamp []byte, cause error)
	mute   bool // acknowledges no delivery, so that all stays in the broker

	freed chan struct{} // has a token if there is room for a message again, and somebody waits for it
	ended chan struct{} // closed when the connection is lost

	settled slot // what settle is at; only the goroutine that reads uses it

	mu     sync.Mutex
	to     io.Writer
	window int      // how many messages may wait
	flying int      // how many do
	wanted bool     // somebody waits for room
	slots  []slot   // by packet identifier, counted from 1
	free   []uint16 // packet identifiers
	last   slot     // the last that was acknowledged
	over   bool
}

// A slot is what a packet identifier stands for.
type slot struct {
	stamp  [requester.StampSize]byte
	size   int                          // of the message, as far as it is kept here; 0: none
	nobody bool                         // is subscribed, as the broker says of a message of QoS 2
	answer chan<- packets.ControlPacket // for a request
}

// message returns what is told of a message: enough to know it by.
func (s *slot) message() []byte { return s.stamp[:s.size] }

func newSession() *session {
	return &session{
		acked: func([]byte) {}, failed: func([]byte, error) {}, window: maxReceive,
		freed: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// ConAckReceived implements [pahosession.SessionManager].
func (s *session) ConAckReceived(to io.Writer, _ *packets.Connect, answer *packets.Connack) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
	if p := answer.Properties; p != nil && p.ReceiveMaximum != nil {
		s.window = int(*p.ReceiveMaximum)
	}
	return nil
}

// ConnectionLost implements [pahosession.SessionManager]. Requests get no answer; messages that
// wait for one may have arrived or not.
func (s *session) ConnectionLost(*packets.Disconnect) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	s.over = true
	close(s.ended)
	for _, one := range s.slots {
		if one.answer != nil {
			one.answer <- packets.ControlPacket{} // paho made it with room for one
		}
	}
	return nil
}

// AddToSession implements [pahosession.SessionManager]. It does not wait: room is asked for
// before.
func (s *session) AddToSession(_ context.Context, p pahosession.Packet, answer chan<- packets.ControlPacket) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	message, isMessage := p.(*packets.Publish)
	switch {
	case s.over:
		return errConnection
	case isMessage && s.flying >= s.window:
		return errWindow
	}
	id := s.take()
	p.SetIdentifier(id)
	one := &s.slots[id-1]
	if !isMessage {
		one.answer = answer
		return nil
	}
	s.flying++
	one.size = copy(one.stamp[:], message.Payload)
	return nil
}

// take returns a packet identifier that is not used.
func (s *session) take() uint16 {
	if n := len(s.free) - 1; n >= 0 {
		id := s.free[n]
		s.free = s.free[:n]
		return id
	}
	s.slots = append(s.slots, slot{})
	return uint16(len(s.slots))
}

// release frees a packet identifier, and returns what it stood for; nothing if it stood for
// nothing.
func (s *session) release(id uint16) (one slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == 0 || int(id) > len(s.slots) {
		return slot{}
	}
	one, s.slots[id-1] = s.slots[id-1], slot{}
	if one == (slot{}) {
		return one
	}
	s.free = append(s.free, id)
	if one.answer != nil {
		return one
	}
	s.flying--
	if s.wanted {
		s.wanted = false
		s.freed <- struct{}{} // whoever waits takes it before it wants another
	}
	return one
}

// room tells whether one more message may be sent. If not, and somebody waits for that,
// freed gets a token when one may.
func (s *session) room(waits bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying < s.window {
		return true
	}
	s.wanted = s.wanted || waits
	return false
}

// settle passes on what became of a message.
func (s *session) settle(id uint16, code byte, reason string) {
	s.settled = s.release(id)
	one := &s.settled
	switch {
	case one.size == 0: // of no message of ours
	case code >= reasonRefused:
		s.failed(one.message(), fmt.Errorf("%w: %s (reason 0x%02x)", errRefused, reason, code))
	case code == reasonNoSubscribers || one.nobody:
		s.failed(one.message(), errNobody)
	case one.size == requester.StampSize: // else it is no request
		s.acked(one.message())
		s.mu.Lock()
		s.last = *one
		s.mu.Unlock()
	}
}

// unheard notes that the broker has no subscriber for a message that is not yet settled.
func (s *session) unheard(id uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id > 0 && int(id) <= len(s.slots) {
		s.slots[id-1].nobody = s.slots[id-1].size > 0
	}
}

// lastAcked returns the last message that was acknowledged, as far as it is kept; nil if none was.
func (s *session) lastAcked() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.last.message()...)
}
