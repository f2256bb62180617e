// Package outbox holds the messages that a Request has taken and its client has not, because
// the client would wait for the broker.
package outbox

import (
	"context"
	"errors"
	"sync"
)

// limit bounds the bytes that a box holds. The engine's own bound, 64 MiB in
// flight, is reached first, unless replies are given up.
const limit = 128 << 20

// sparesKept is how many buffers a box keeps for later messages.
const sparesKept = 64

// ErrFull is that a box takes no more.
var ErrFull = errors.New("the broker takes no messages, and 128 MiB of them wait for it")

// A Box has messages that wait, oldest first. It is safe for concurrent use by those who add
// and one who takes. [New] makes one.
type Box struct {
	added chan struct{} // has a token while something waits

	mu      sync.Mutex
	waiting [][]byte
	first   int // of waiting that is not taken
	spare   [][]byte
	size    int   // bytes that wait
	closed  error // why nothing is taken any more
}

// New returns an empty box.
func New() *Box { return &Box{added: make(chan struct{}, 1)} }

// Add puts a copy of a message into the box.
func (o *Box) Add(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed != nil:
		return o.closed
	case o.size > 0 && o.size+len(message) > limit:
		return ErrFull
	}
	var buffer []byte
	if last := len(o.spare) - 1; last >= 0 {
		buffer, o.spare = o.spare[last], o.spare[:last]
	}
	o.waiting = append(o.waiting, append(buffer[:0], message...))
	o.size += len(message)
	select {
	case o.added <- struct{}{}:
	default: // whoever takes will look again anyway
	}
	return nil
}

// Next waits for the oldest message and takes it; nil when ctx has ended.
func (o *Box) Next(ctx context.Context) []byte {
	for {
		if message := o.take(); message != nil {
			return message
		}
		select {
		case <-o.added:
		case <-ctx.Done():
			return nil
		}
	}
}

// take takes the oldest message; nil if there is none.
func (o *Box) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == len(o.waiting) {
		o.waiting, o.first = o.waiting[:0], 0
		return nil
	}
	message := o.waiting[o.first]
	o.waiting[o.first] = nil
	o.first++
	o.size -= len(message)
	if o.first > 1024 && o.first > len(o.waiting)/2 { // it may never be empty
		o.waiting, o.first = append(o.waiting[:0], o.waiting[o.first:]...), 0
	}
	return message
}

// Reuse takes back the buffer of a message that was taken.
func (o *Box) Reuse(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.spare) < sparesKept {
		o.spare = append(o.spare, message)
	}
}

// Close makes Add fail with a cause, and returns what still waits.
func (o *Box) Close(cause error) (left [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	left = o.waiting[o.first:]
	o.waiting, o.first, o.size, o.closed = nil, 0, 0, cause
	return left
}
