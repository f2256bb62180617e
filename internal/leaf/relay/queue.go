package relay

import "sync"

// A queue is what is on its way in one direction of a connection.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	pieces  []piece
	bytes   int // of the pieces, and of the one that is being written
	ended   bool
}

func newQueue() *queue {
	q := &queue{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// put waits until there is room, and fails once the queue has ended.
func (q *queue) put(p piece) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes >= window && !q.ended {
		q.changed.Wait()
	}
	if q.ended {
		return false
	}
	q.pieces = append(q.pieces, p)
	q.bytes += len(p.bytes)
	q.changed.Broadcast()
	return true
}

// take waits for the next piece; more is false when there is none, and none comes.
func (q *queue) take() (p piece, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pieces) == 0 && !q.ended {
		q.changed.Wait()
	}
	if len(q.pieces) == 0 {
		return piece{}, false
	}
	p, q.pieces = q.pieces[0], q.pieces[1:]
	return p, true
}

// written makes room for as many bytes.
func (q *queue) written(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= n
	q.changed.Broadcast()
}

// end marks the end of the input. The remaining pieces can still be taken.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.changed.Broadcast()
}
