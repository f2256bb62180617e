package load

import (
	"sync"

	"github.com/brokerbench/brokerbench/requester/load/internal/ring"
)

// bufferBytes bounds the buffers of all goroutines that send what was queued.
const bufferBytes = 256 << 20

// buffers are payloads for sending what was queued. There is one for each
// connection at most, and fewer where messages are large: a connection that gets
// none waits until another has sent.
type buffers struct {
	size, limit int

	mu      sync.Mutex
	made    int
	free    [][]byte
	waiting ring.Deque[*conn] // each holds its own sending flag meanwhile
}

func newBuffers(size, connections int) *buffers {
	return &buffers{size: size, limit: min(connections, max(1, bufferBytes/size))}
}

// take returns a buffer, or nil if c has to wait. Then next will return c.
func (b *buffers) take(c *conn) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last := len(b.free) - 1; last >= 0 {
		buffer := b.free[last]
		b.free = b.free[:last]
		return buffer
	}
	if b.made < b.limit {
		b.made++
		return make([]byte, b.size)
	}
	b.waiting.Push(c)
	return nil
}

// next returns the connection that has waited longest, which gets the buffer; or
// nil if none waits, and takes the buffer back.
func (b *buffers) next(buffer []byte) (c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting.Len() == 0 {
		b.free = append(b.free, buffer)
		return nil
	}
	c = *b.waiting.First()
	b.waiting.Pop()
	return c
}
