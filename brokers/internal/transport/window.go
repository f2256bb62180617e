package transport

import (
	"context"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// A Stamp is the head of a message, by which the engine knows it again.
type Stamp [requester.StampSize]byte

// A Window publishes messages for a broker that takes a number of them before it answers the first:
// messages that are due while it is full wait in a queue, and a goroutine publishes them later. The
// client gives each message an ID, by which the broker answers. It is safe for concurrent
// use, but Send, which only a Request calls. [NewWindow] makes one.
type Window[ID comparable] struct {
	Size    int                        // how many messages may be without an answer; set before Send
	Publish func(message []byte) error // publishes a message at once; set before Send

	acked  func(message []byte)
	failed func(message []byte, cause error)
	queue  *SendQueue

	mu   sync.Mutex
	sent map[ID]Stamp // messages without an answer
	last []byte       // the head of the last that was acknowledged
}

// NewWindow returns a window that reports the fate of its messages.
func NewWindow[ID comparable](acked func(message []byte), failed func(message []byte, cause error)) *Window[ID] {
	return &Window[ID]{acked: acked, failed: failed, queue: NewSendQueue(), sent: make(map[ID]Stamp)}
}

// Serve publishes what is queued until ctx ends. publish waits until the broker takes the message.
func (w *Window[ID]) Serve(ctx context.Context, publish func(message []byte) error) {
	w.queue.Serve(ctx, publish, w.failed)
}

// Send publishes a message at once if there is room for it and none waits, or else queues it.
func (w *Window[ID]) Send(message []byte) error {
	if w.room() && w.queue.Empty() {
		return w.Publish(message)
	}
	return w.queue.Add(message)
}

func (w *Window[ID]) room() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.sent) < w.Size
}

// Sent records that a message waits for its answer. One that is too short for a request is a probe:
// its outcome is not reported.
func (w *Window[ID]) Sent(id ID, message []byte) {
	if len(message) < requester.StampSize {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[id] = Stamp(message)
}

// Answered reports what became of a message: it is acknowledged, or failed for that cause. Answers
// without a message are ignored.
func (w *Window[ID]) Answered(id ID, cause error) {
	w.mu.Lock()
	message, ok := w.sent[id]
	delete(w.sent, id)
	if ok && cause == nil {
		w.last = append(w.last[:0], message[:]...)
	}
	w.mu.Unlock()
	switch {
	case ok && cause != nil:
		w.failed(message[:], cause)
	case ok:
		w.acked(message[:])
	}
}

// LastAcked returns the head of the message that was acknowledged last; nil if none was.
func (w *Window[ID]) LastAcked() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]byte(nil), w.last...)
}

// Close makes the messages that are queued fail.
func (w *Window[ID]) Close(cause error) { w.queue.Fail(cause, w.failed) }
