package record

import (
	"sync"
	"testing"
)

// Marks of several goroutines are all kept, wherever pages are made.
func TestMarksAreNotLost(t *testing.T) {
	p := NewBitmap(2)
	var all sync.WaitGroup
	for g := range uint64(8) {
		all.Go(func() {
			for seq := g; seq < 10*pageSize; seq += 8 {
				p.Mark(int(seq%2), seq)
			}
		})
	}
	all.Wait()
	if n := p.Count(); n != 10*pageSize {
		t.Errorf("%d marks", n)
	}
}

func TestCountsBetween(t *testing.T) {
	p := NewBitmap(1)
	marked := []uint64{0, 1, 63, 64, 65, 127, 128, 4000, pageSize - 1, pageSize, 3*pageSize + 5, 3*pageSize + 70}
	for _, seq := range marked {
		p.Mark(0, seq)
	}
	for _, from := range append(marked, 2, 66, 2*pageSize, 3*pageSize+6, 9*pageSize) {
		for _, to := range append(marked, 0, 2, 66, 2*pageSize, 3*pageSize+6, 9*pageSize) {
			want := int64(0)
			for _, seq := range marked {
				if seq >= from && seq < to {
					want++
				}
			}
			if got := p.Between(0, from, to); got != want {
				t.Errorf("between %d and %d: %d, want %d", from, to, got, want)
			}
		}
	}
}
