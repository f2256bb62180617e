package live

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// A Talk is a writer that never waits for who reads: what is written goes into a
// queue, and a goroutine that lives while there is any writes it to where it
// belongs. A pipe that nobody reads, or a terminal that is stopped, must not hold up
// what is measured. When a lot is waiting, progress is left out, see [Progress]; of
// the rest up to 1 MiB is kept. Make one with [NewTalk]. It is safe for concurrent
// use.
type Talk struct {
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

// errDropped is the error of what does not fit into the queue.
var errDropped = errors.New("nobody reads: left out")

// NewTalk returns a Talk on w.
func NewTalk(w io.Writer) *Talk { return &Talk{w: w, moved: make(chan struct{})} }

// Write implements io.Writer: it takes all of p, or none and returns an error.
func (t *Talk) Write(p []byte) (int, error) { return t.write(p, most) }

func (t *Talk) write(p []byte, limit int) (int, error) {
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
		t.take()
	}
	return len(p), nil
}

// take has what waits written. The caller holds the lock.
func (t *Talk) take() {
	now := t.queue
	t.queue, t.taken = nil, len(now)
	go func() {
		_, err := t.w.Write(now)
		t.written(err)
	}()
}

func (t *Talk) written(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken, t.stuck = 0, false
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		t.failed = err // for good; a disk that is full may have room again
	}
	close(t.moved)
	t.moved = make(chan struct{})
	switch {
	case err != nil:
		t.queue = nil
	case len(t.queue) > 0:
		t.take()
	}
}

// Flush waits until all is written, or nothing was for as long as patience. It does
// not wait again before something was. A nil Talk has nothing to write.
func (t *Talk) Flush(patience time.Duration) {
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

// waiting returns what is closed when something was written; nil if nothing waits
// that is worth waiting for.
func (t *Talk) waiting() (moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == 0 || t.stuck {
		return nil
	}
	return t.moved
}

// giveUp marks the reader as stuck, unless something was written meanwhile.
func (t *Talk) giveUp(moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stuck = t.moved == moved
}

// Progress returns the writer for what may be left out when a lot is waiting: of a
// Talk, also behind Notices, or of any other writer itself.
func Progress(w io.Writer) io.Writer {
	switch w := w.(type) {
	case *Talk:
		return progress{w}
	case Notices:
		return Progress(w.W)
	}
	return w
}

type progress struct{ *Talk }

func (p progress) Write(b []byte) (int, error) { return p.write(b, mostProgress) }
