package ring

// chunkSize is how many values a chunk holds: few, since each of 10,000
// connections has a chunk or two.
const chunkSize = 32

// A Deque holds the values at the positions from base up to next. It is made of
// chunks that are never copied: growing costs one chunk, whatever it holds
// already, so a stall of millions of ops delays no op. A chunk that is left behind
// is used again. The zero value is empty.
type Deque[T any] struct {
	chunks     []*[chunkSize]T // by position/chunkSize, modulo their number, a power of two
	spare      *[chunkSize]T   // a chunk that is not in use; may be nil
	base, next uint64
}

// Len returns how many values there are.
func (d *Deque[T]) Len() uint64 { return d.next - d.base }

// Slot returns where the value at a position is kept, base ≤ at < next.
func (d *Deque[T]) Slot(at uint64) *T { return &(*d.chunk(at))[at%chunkSize] }

func (d *Deque[T]) chunk(at uint64) **[chunkSize]T {
	return &d.chunks[at/chunkSize&uint64(len(d.chunks)-1)]
}

// Push adds a value and returns its position.
func (d *Deque[T]) Push(v T) uint64 {
	at := d.next
	if at%chunkSize == 0 || len(d.chunks) == 0 {
		d.extend()
	}
	d.next++
	*d.Slot(at) = v
	return at
}

// extend puts a chunk where the next position is.
func (d *Deque[T]) extend() {
	if d.next/chunkSize-d.base/chunkSize >= uint64(len(d.chunks)) {
		old := *d
		d.chunks = make([]*[chunkSize]T, max(2, 2*len(old.chunks)))
		for at := old.base; at < old.next; at += chunkSize - at%chunkSize {
			*d.chunk(at) = *old.chunk(at)
		}
	}
	chunk := d.spare
	if d.spare = nil; chunk == nil {
		chunk = new([chunkSize]T)
	}
	*d.chunk(d.next) = chunk
}

// Pop removes the first value.
func (d *Deque[T]) Pop() {
	chunk := d.chunk(d.base)
	if d.base++; d.base%chunkSize == 0 {
		d.spare, *chunk = *chunk, nil
	}
}

// First returns the first value; there must be one.
func (d *Deque[T]) First() *T { return d.Slot(d.base) }
