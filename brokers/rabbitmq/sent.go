package rabbitmq

import (
	"sync"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// headsKept is how many messages are remembered on a channel without confirms: more
// than can be written while the broker's refusal of one is on its way.
const headsKept = 256

// A head is the part of a message that is remembered: enough to report its failure.
type head struct {
	stamp   [requester.StampSize]byte
	size    int
	confirm *amqp.DeferredConfirmation // nil without confirms, or if not written yet
}

// message returns what a FailureNotifier reports.
func (h *head) message() []byte { return h.stamp[:min(h.size, len(h.stamp))] }

// sent remembers the messages of a channel that may still turn out to have failed:
// with confirms all that are not confirmed, without them the last few. Messages
// are numbered from 0. It is safe for concurrent use.
type sent struct {
	confirms bool
	written  chan struct{} // gets a token from expect

	mu          sync.Mutex
	heads       []head // a ring; message n is at n modulo its length, a power of 2
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
	case !s.confirms && n == headsKept:
		s.first++
	case n == uint64(len(s.heads)):
		s.grow()
	}
	h := s.at(s.next)
	h.size, h.confirm = len(payload), nil
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
func (s *sent) oldest() (h head, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == s.next {
		return head{}, false
	}
	h = *s.at(s.first)
	return h, h.confirm != nil
}

// pop removes the oldest message, if that is h.
func (s *sent) pop(h head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first < s.next && s.at(s.first).confirm == h.confirm {
		s.first++
	}
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
