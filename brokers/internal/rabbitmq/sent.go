package rabbitmq

import (
	"sync"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// messagesKept is how many messages are remembered on a channel without confirms: more
// than can be written while the broker's refusal of one is on its way.
const messagesKept = 256

// A message is the part of a message that is remembered: enough to report its failure.
type message struct {
	stamp   [requester.StampSize]byte
	size    int
	confirm *amqp.DeferredConfirmation // nil without confirms, or if not written yet
}

// payload returns the part of the payload that identifies the message.
func (m *message) payload() []byte { return m.stamp[:min(m.size, len(m.stamp))] }

// sent remembers the messages of a channel that may still turn out to have failed:
// with confirms all that are not confirmed, without them the last few. Messages
// are numbered from 0. It is safe for concurrent use.
type sent struct {
	confirms bool
	written  chan struct{} // receives a token from expect

	mu          sync.Mutex
	messages    []message // a ring; message n is at n modulo its length, a power of 2
	first, next uint64
}

func newSent(confirms bool) *sent {
	return &sent{confirms: confirms, written: make(chan struct{}, 1)}
}

// push remembers a message and returns its number.
func (s *sent) push(payload []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n := s.next - s.first; {
	case !s.confirms && n == messagesKept:
		s.first++
	case n == uint64(len(s.messages)):
		s.grow()
	}
	m := s.at(s.next)
	m.size, m.confirm = len(payload), nil
	copy(m.stamp[:], payload)
	s.next++
	return s.next - 1
}

// grow doubles the ring, which is full.
func (s *sent) grow() {
	old := s.messages
	s.messages = make([]message, max(16, 2*len(old)))
	for n := s.first; n < s.next; n++ {
		*s.at(n) = old[n%uint64(len(old))]
	}
}

func (s *sent) at(n uint64) *message { return &s.messages[n%uint64(len(s.messages))] }

// forget removes message n, the last one, which was not written.
func (s *sent) forget(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= s.first {
		s.next = n
	}
}

// expect records that message n was written, and its confirm.
func (s *sent) expect(n uint64, confirm *amqp.DeferredConfirmation) {
	s.mu.Lock()
	if n >= s.first {
		s.at(n).confirm = confirm
	}
	s.mu.Unlock()
	select {
	case s.written <- struct{}{}:
	default:
	}
}

// oldest returns the message that has waited longest for its confirm. ok is false
// if there is none, or if it is not written yet.
func (s *sent) oldest() (m message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == s.next {
		return message{}, false
	}
	m = *s.at(s.first)
	return m, m.confirm != nil
}

// pop removes the oldest message, if that is m.
func (s *sent) pop(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first < s.next && s.at(s.first).confirm == m.confirm {
		s.first++
	}
}

// after removes all messages, and returns the first that is larger than limit and
// those behind it: they are lost when the broker closes the channel for its size.
func (s *sent) after(limit int) (lost []message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := s.first; n < s.next; n++ {
		if m := *s.at(n); lost != nil || m.size > limit {
			lost = append(lost, m)
		}
	}
	s.first = s.next
	return lost
}
