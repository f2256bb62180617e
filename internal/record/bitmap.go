package record

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// A Bitmap marks messages: one bit for each, in pages that are allocated when needed. An audit of
// an hour at 20,000/s has three of them, 27 MB. Mark may be called concurrently; the other methods
// are for after the last mark.
type Bitmap struct{ conns []pages }

// pages are those of one connection. The lock is for adding one; a page needs none.
type pages struct {
	list atomic.Pointer[[]*page]
	mu   sync.Mutex
}

// A page has a bit for each of pageSize messages.
type page [PageWords]atomic.Uint64

const pageSize = 1 << 15

// PageWords is how many words a page of a [BitmapSnapshot] has that is not empty.
const PageWords = pageSize / 64

// PagesOf returns how many pages so many messages take on a connection, at most.
func PagesOf(messages int64) int { return int(messages/pageSize) + 2 }

// NewBitmap returns an empty bitmap.
func NewBitmap(connections int) *Bitmap { return &Bitmap{conns: make([]pages, connections)} }

// Mark marks a message. It allocates for one of pageSize messages.
func (b *Bitmap) Mark(conn int, seq uint64) {
	b.conns[conn].at(seq / pageSize)[seq%pageSize/64].Or(1 << (seq % 64))
}

// all returns the pages; one is nil if nothing in it is marked.
func (l *pages) all() []*page {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// at returns a page, and allocates it if necessary.
func (l *pages) at(i uint64) *page {
	if list := l.all(); i < uint64(len(list)) && list[i] != nil {
		return list[i]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.all())
	for uint64(len(list)) <= i {
		list = append(list, nil)
	}
	if list[i] == nil {
		list[i] = new(page)
	}
	l.list.Store(&list)
	return list[i]
}

// Connections returns how many connections the bitmap is for.
func (b *Bitmap) Connections() int { return len(b.conns) }

// Has reports whether a message is marked.
func (b *Bitmap) Has(conn int, seq uint64) bool { return b.Between(conn, seq, seq+1) > 0 }

// Count returns how many messages are marked.
func (b *Bitmap) Count() (n int64) {
	for conn := range b.conns {
		n += b.Between(conn, 0, uint64(len(b.conns[conn].all()))*pageSize)
	}
	return n
}

// Between counts the marked messages of a connection, from one in its schedule until another.
func (b *Bitmap) Between(conn int, from, to uint64) (n int64) {
	list := b.conns[conn].all()
	for at := from; at < min(to, uint64(len(list))*pageSize); at = at - at%64 + 64 {
		page := list[at/pageSize]
		if page == nil {
			at += pageSize - at%pageSize - 64 // to its last word
			continue
		}
		word := page[at%pageSize/64].Load() >> (at % 64)
		if left := to - at; left < 64-at%64 {
			word &= 1<<left - 1
		}
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// All calls f for each message that is marked, in order.
func (b *Bitmap) All(f func(conn int, seq uint64)) {
	for c := range b.conns {
		for i, page := range b.conns[c].all() {
			for w := 0; page != nil && w < len(page); w++ {
				for word := page[w].Load(); word != 0; word &= word - 1 {
					f(c, uint64(i)*pageSize+uint64(w)*64+uint64(bits.TrailingZeros64(word)))
				}
			}
		}
	}
}

// A BitmapSnapshot is a bitmap in a file, by connection and page; a page without marks is empty.
type BitmapSnapshot [][][]uint64

// Snapshot returns the marks.
func (b *Bitmap) Snapshot() BitmapSnapshot {
	s := make(BitmapSnapshot, len(b.conns))
	for conn := range b.conns {
		for _, page := range b.conns[conn].all() {
			var words []uint64
			for w := 0; page != nil && w < len(page); w++ {
				words = append(words, page[w].Load())
			}
			s[conn] = append(s[conn], words)
		}
	}
	return s
}

// Merge adds the marks of part i of so many, which counts its own connections from 0.
func (b *Bitmap) Merge(s BitmapSnapshot, part, of int) error {
	for conn, list := range s {
		whole := part + conn*of
		if whole >= len(b.conns) {
			return fmt.Errorf("connection %d of %d does not exist", whole, len(b.conns))
		}
		for i, words := range list {
			if len(words) == 0 {
				continue
			}
			if len(words) != PageWords {
				return fmt.Errorf("a page of marks has %d words, not %d", len(words), PageWords)
			}
			page := b.conns[whole].at(uint64(i))
			for w, word := range words {
				page[w].Or(word)
			}
		}
	}
	return nil
}
