package rabbitmq

import (
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// headsKept is how many messages are remembered on a channel without confirms: more
// than can be written while the broker's refusal of one is on its way.
const headsKept = 256

// A head is the part of a message that is remembered: enough to report its failure.
type head struct {
	stamp [requester.StampSize]byte
	size  int
}

// message returns what a FailureNotifier reports.
func (h *head) message() []byte { return h.stamp[:min(h.size, len(h.stamp))] }

// sent remembers the messages of a channel that may still turn out to have failed:
// with confirms all that are not confirmed, without them the last few. Messages
// are numbered from 0. It is safe for concurrent use.
type sent struct {
	confirms bool

	mu          sync.Mutex
	heads       []head // a ring; message n is at n modulo its length, a power of 2
	first, next uint64
}

func newSent(confirms bool) *sent {
	return &sent{confirms: confirms}
}

// push remembers a message and returns its number.
func (s *sent) push(payload []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n := s.next - s.first; {
	case !s.confirms && n == headsKept:
		s.first++
	case n == uint64(len(s.heads)):
		s.grow()
	}
	h := s.at(s.next)
	h.size = len(payload)
	copy(h.stamp[:], payload)
	s.next++
	return s.next - 1
}

// grow doubles the ring, which is full.
func (s *sent) grow() {
	old := s.heads
	s.heads = make([]head, max(16, 2*len(old)))
	for n := s.first; n < s.next; n++ {
		*s.at(n) = old[n%uint64(len(old))]
	}
}

func (s *sent) at(n uint64) *head { return &s.heads[n%uint64(len(s.heads))] }

// forget removes message n, the last one, which was not written.
func (s *sent) forget(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= s.first {
		s.next = n
	}
}

// take returns message n, and forgets it and all before it. ok is false if it is not remembered.
func (s *sent) take(n uint64) (h head, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.first || n >= s.next {
		return head{}, false
	}
	s.first = n + 1
	return *s.at(n), true
}

// after removes all messages, and returns the first that is larger than limit and
// those behind it: they are lost when the broker closes the channel for its size.
func (s *sent) after(limit int) (lost []head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := s.first; n < s.next; n++ {
		if h := *s.at(n); lost != nil || h.size > limit {
			lost = append(lost, h)
		}
	}
	s.first = s.next
	return lost
}
