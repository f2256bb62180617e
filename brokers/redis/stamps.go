package redis

import (
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// A stamp is the first bytes of a message, by which the engine knows it.
type stamp = [requester.StampSize]byte

// stamps are the first bytes of the messages whose PUBLISH has no reply yet, oldest
// first, in a ring that grows with the number in flight.
type stamps struct {
	mu    sync.Mutex
	ring  []stamp // its length is a power of two, or 0
	first int     // position of the oldest
	count int
}

// push adds the stamp of payload.
func (s *stamps) push(payload []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == len(s.ring) {
		s.grow()
	}
	copy(s.ring[(s.first+s.count)&(len(s.ring)-1)][:], payload)
	s.count++
}

// pop removes the oldest. ok is false if there is none.
func (s *stamps) pop() (oldest stamp, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == 0 {
		return oldest, false
	}
	oldest = s.ring[s.first]
	s.first = (s.first + 1) & (len(s.ring) - 1)
	s.count--
	return oldest, true
}

// grow doubles the ring. The caller holds the lock.
func (s *stamps) grow() {
	ring := make([]stamp, max(64, 2*len(s.ring)))
	n := copy(ring, s.ring[s.first:])
	copy(ring[n:], s.ring[:s.first])
	s.ring, s.first = ring, 0
}
