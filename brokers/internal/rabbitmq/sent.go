package rabbitmq

import (
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

// messagesKept is how many messages are remembered on a channel without confirms: more
// than can be written while the broker's refusal of one is on its way.
const messagesKept = 256

// A message is the part of a message that is remembered: enough to report its failure.
type message struct {
	stamp transport.Stamp
	size  int
}

// probe reports whether it is too short for a request.
func (m *message) probe() bool { return m.size < len(m.stamp) }

// sent remembers the messages of a channel that may still turn out to have failed:
// with confirms all that are not confirmed, without them the last few. Messages
// are numbered from 0. It is safe for concurrent use.
type sent struct {
	confirms bool

	mu          sync.Mutex
	messages    []message // a ring; message n is at n modulo its length, a power of 2
	first, next uint64
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
	m.size = len(payload)
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

// confirmed removes message n, the oldest; ok is false if it is not remembered.
func (s *sent) confirmed(n uint64) (m message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.first || n >= s.next {
		return m, false
	}
	s.first = n + 1
	return *s.at(n), true
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
