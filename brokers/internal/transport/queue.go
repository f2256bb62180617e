package transport

import (
	"context"
	"errors"
	"sync"
)

// queueBytes bounds the bytes that a queue holds. The engine's own bound, 64 MiB in
// flight, is reached first, unless replies are given up.
const queueBytes = 128 << 20

// sparesKept is how many buffers a queue keeps for later messages.
const sparesKept = 64

// ErrQueueFull means that a queue takes no more.
var ErrQueueFull = errors.New("the broker takes no messages, and 128 MiB of them wait for it")

// A SendQueue holds the messages that Request has accepted and the client has not, because
// the client would block, oldest first. It is safe for concurrent use by several goroutines
// that add and one that takes. [NewSendQueue] makes one.
type SendQueue struct {
	added chan struct{} // has a token while something waits

	mu      sync.Mutex
	waiting [][]byte
	first   int // the index in waiting of the first that is not taken
	spare   [][]byte
	size    int   // bytes that wait
	closed  error // why messages are refused; nil: they are not
	serving bool  // a message that was taken is being published
}

// NewSendQueue returns an empty queue.
func NewSendQueue() *SendQueue { return &SendQueue{added: make(chan struct{}, 1)} }

// Add puts a copy of a message into the queue.
func (q *SendQueue) Add(message []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed != nil:
		return q.closed
	case q.size > 0 && q.size+len(message) > queueBytes:
		return ErrQueueFull
	}
	var buffer []byte
	if last := len(q.spare) - 1; last >= 0 {
		buffer, q.spare = q.spare[last], q.spare[:last]
	}
	q.waiting = append(q.waiting, append(buffer[:0], message...))
	q.size += len(message)
	select {
	case q.added <- struct{}{}:
	default: // the goroutine that takes will look again anyway
	}
	return nil
}

// Next waits for the oldest message and takes it; nil when ctx has ended.
func (q *SendQueue) Next(ctx context.Context) []byte {
	for {
		if message := q.take(); message != nil {
			return message
		}
		select {
		case <-q.added:
		case <-ctx.Done():
			return nil
		}
	}
}

// take takes the oldest message; nil if there is none.
func (q *SendQueue) take() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.first == len(q.waiting) {
		q.waiting, q.first = q.waiting[:0], 0
		return nil
	}
	message := q.waiting[q.first]
	q.waiting[q.first] = nil
	q.first++
	q.size -= len(message)
	q.serving = true
	if q.first > 1024 && q.first > len(q.waiting)/2 { // it may never be empty
		q.waiting, q.first = append(q.waiting[:0], q.waiting[q.first:]...), 0
	}
	return message
}

// NextBatch waits for a message, and appends it to batch with the further messages that are
// there, up to the limits in messages and bytes. It appends none when ctx has ended.
func (q *SendQueue) NextBatch(ctx context.Context, batch [][]byte, messages, bytes int) [][]byte {
	message := q.Next(ctx)
	for message != nil {
		batch = append(batch, message)
		if messages, bytes = messages-1, bytes-len(message); messages <= 0 || bytes <= 0 {
			break
		}
		message = q.take()
	}
	return batch
}

// Empty reports whether no message waits, and none is being published by Serve.
func (q *SendQueue) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.first == len(q.waiting) && !q.serving
}

// Serve publishes the messages in their order, until ctx ends. failed gets each that could not be
// published.
func (q *SendQueue) Serve(ctx context.Context, publish func(message []byte) error, failed func(message []byte, cause error)) {
	for message := q.Next(ctx); message != nil; message = q.Next(ctx) {
		if err := publish(message); err != nil {
			failed(message, err)
		} else {
			q.Reuse(message)
		}
		q.mu.Lock()
		q.serving = false
		q.mu.Unlock()
	}
}

// Reuse takes back the buffer of a message that was taken.
func (q *SendQueue) Reuse(message []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.spare) < sparesKept {
		q.spare = append(q.spare, message)
	}
}

// Close makes Add fail with a cause, and returns the messages that still wait.
func (q *SendQueue) Close(cause error) (left [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left = q.waiting[q.first:]
	q.waiting, q.first, q.size, q.closed = nil, 0, 0, cause
	return left
}

// Fail closes the queue, and makes the messages that wait fail with the same cause.
func (q *SendQueue) Fail(cause error, failed func(message []byte, cause error)) {
	for _, message := range q.Close(cause) {
		failed(message, cause)
	}
}
