package live

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// An AsyncWriter never waits for its reader: texts go into a queue, and a goroutine, which
// lives as long as the queue has texts, writes them. A pipe without a reader, or a stopped
// terminal, must not delay the measurement. When the queue is long, progress is left out, see
// [Progress]; of all else up to 1 MiB is kept. Make one with [NewAsyncWriter]. It is safe for
// concurrent use.
type AsyncWriter struct {
	w io.Writer

	mu     sync.Mutex
	queue  []byte
	taken  int           // bytes that are being written
	moved  chan struct{} // closed, and replaced, when something was written
	failed error         // of writing: the reader has gone
	stuck  bool          // Flush has given up, and nothing was written since
}

// These are how many bytes may wait.
const (
	mostProgress = 16 << 10
	most         = 1 << 20
)

// errDropped is the error of a text that does not fit into the queue.
var errDropped = errors.New("the reader is too slow: left out")

// NewAsyncWriter returns an AsyncWriter on w.
func NewAsyncWriter(w io.Writer) *AsyncWriter { return &AsyncWriter{w: w, moved: make(chan struct{})} }

// Write implements io.Writer: it takes all of p, or none and returns an error.
func (t *AsyncWriter) Write(p []byte) (int, error) { return t.write(p, most) }

func (t *AsyncWriter) write(p []byte, limit int) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := t.taken + len(t.queue)
	switch {
	case t.failed != nil:
		return 0, t.failed
	case waiting > 0 && waiting+len(p) > limit:
		return 0, errDropped
	}
	t.queue = append(t.queue, p...)
	if waiting == 0 {
		go t.drain(t.take())
	}
	return len(p), nil
}

// take empties the queue, and returns the bytes that are to be written now. The caller holds the lock.
func (t *AsyncWriter) take() []byte {
	now := t.queue
	t.queue, t.taken = nil, len(now)
	return now
}

// drain writes until the queue is empty.
func (t *AsyncWriter) drain(now []byte) {
	for len(now) > 0 {
		_, err := t.w.Write(now)
		now = t.written(err)
	}
}

func (t *AsyncWriter) written(err error) (next []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stuck = false
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		t.failed = err // for good; a disk that is full may have room again
	}
	if err != nil {
		t.queue = nil
	}
	close(t.moved)
	t.moved = make(chan struct{})
	return t.take()
}

// Flush waits until the queue is empty, or until nothing was written for as long as patience.
// After that it does not wait again before something is written. A nil AsyncWriter has
// nothing to write.
func (t *AsyncWriter) Flush(patience time.Duration) {
	if t == nil {
		return
	}
	for moved := t.waiting(); moved != nil; moved = t.waiting() {
		select {
		case <-moved:
		case <-time.After(patience):
			t.giveUp(moved)
		}
	}
}

// waiting returns a channel that is closed when something is written; nil if the queue is
// empty or the reader is stuck.
func (t *AsyncWriter) waiting() (moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == 0 || t.stuck {
		return nil
	}
	return t.moved
}

// giveUp marks the reader as stuck, unless something was written meanwhile.
func (t *AsyncWriter) giveUp(moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stuck = t.moved == moved
}

// Progress returns the writer for texts that may be left out when the queue of an AsyncWriter is
// long, also if the AsyncWriter is behind Notices. For any other writer it returns that writer.
func Progress(w io.Writer) io.Writer {
	switch w := w.(type) {
	case *AsyncWriter:
		return progress{w}
	case Notices:
		return Progress(w.W)
	case Plain:
		return Plain{Progress(w.W)}
	}
	return w
}

type progress struct{ *AsyncWriter }

func (p progress) Write(b []byte) (int, error) { return p.write(b, mostProgress) }

// A Plain writer writes texts as [words.Plain] returns them.
type Plain struct{ W io.Writer }

// Write implements io.Writer.
func (p Plain) Write(text []byte) (int, error) {
	_, err := io.WriteString(p.W, words.Plain(string(text)))
	return len(text), err
}
