package record

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// Worst keeps the message with the longest response of those that are due in each slot of the window. One
// stall would fill a list of the worst messages alone. Record may be called concurrently; a nil Worst keeps
// nothing.
type Worst struct {
	window Window
	width  time.Duration // of a slot
	slots  []atomic.Int64
}

const (
	worstSlot  = 10 * time.Millisecond // the least width
	worstSlots = 60_000                // the most slots
	worstKept  = 1000                  // messages in a result

	// A slot has a response in nanoseconds, up to 104 days, and in its lowest bits when the message was due, in
	// parts of the slot.
	dueBits = 10
)

// NewWorst returns an empty one for a window.
func NewWorst(w Window) *Worst {
	length := max(w.To-w.From, worstSlot)
	width := max(worstSlot, (length+worstSlots-1)/worstSlots)
	return &Worst{w, width, make([]atomic.Int64, (length+width-1)/width)}
}

// Record records a message of the window. It allocates nothing and waits for nothing: for nearly all messages it
// reads one number.
func (w *Worst) Record(due, response time.Duration) {
	if w == nil || due < w.window.From {
		return
	}
	in := due - w.window.From
	i := int64(in / w.width)
	if i >= int64(len(w.slots)) {
		return
	}
	slot, value := &w.slots[i], int64(response)<<dueBits
	for kept := slot.Load(); value > kept; kept = slot.Load() {
		if slot.CompareAndSwap(kept, value|int64((in%w.width)<<dueBits/w.width)) {
			return
		}
	}
}

// Describe writes the window and the worst messages, those with the longest response first.
func (w *Worst) Describe(s *cause.Samples) {
	s.FromNS, s.ToNS, s.SlotNS = int64(w.window.From), int64(w.window.To), int64(w.width)
	for i := range w.slots {
		v := w.slots[i].Load()
		if v == 0 {
			continue
		}
		part := v & (1<<dueBits - 1)
		due := w.window.From + time.Duration(i)*w.width + time.Duration(part*int64(w.width)>>dueBits)
		s.Worst = append(s.Worst, cause.WorstMessage{DueNS: int64(due), ResponseNS: v >> dueBits})
	}
	slices.SortStableFunc(s.Worst, func(a, b cause.WorstMessage) int { return cmp.Compare(b.ResponseNS, a.ResponseNS) })
	s.Worst = slices.Clip(s.Worst[:min(len(s.Worst), worstKept)])
}
