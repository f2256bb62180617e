package amqp1

import (
	"errors"
	"sync"
)

// outboxLimit bounds the bytes that an outbox holds. The engine's own bound, 64 MiB in
// flight, is reached first, unless replies are given up.
const outboxLimit = 128 << 20

// sparesKept is how many buffers an outbox keeps for later messages.
const sparesKept = 64

var errOutboxFull = errors.New("the broker takes no messages, and 128 MiB of them wait for it")

// An outbox has the messages that Request has taken and go-amqp has not: go-amqp sends one at
// a time, waits until each is in the socket, and while the broker grants no credit waits for
// that, with no regard to contexts. It is safe for concurrent use by those who add and one
// who takes.
type outbox struct {
	added chan struct{} // has a token while something waits

	mu      sync.Mutex
	waiting [][]byte
	first   int // of waiting that is not taken
	spare   [][]byte
	size    int   // bytes that wait
	closed  error // why nothing is taken any more
}

func newOutbox() *outbox { return &outbox{added: make(chan struct{}, 1)} }

// add puts a copy of a message into the outbox.
func (o *outbox) add(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed != nil:
		return o.closed
	case o.size > 0 && o.size+len(message) > outboxLimit:
		return errOutboxFull
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

// take takes the oldest message; nil if there is none.
func (o *outbox) take() []byte {
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

// reuse takes back the buffer of a message that was taken.
func (o *outbox) reuse(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.spare) < sparesKept {
		o.spare = append(o.spare, message)
	}
}

// close makes add fail with a cause, and returns what still waits.
func (o *outbox) close(cause error) (left [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	left = o.waiting[o.first:]
	o.waiting, o.first, o.size, o.closed = nil, 0, 0, cause
	return left
}
