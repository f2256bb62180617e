package live

import (
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/measure"
)

// told is how often a cell is told of in Lines.
const told = 5 * time.Second

// Lines is a View of plain lines, one every five seconds: what cannot be redrawn
// is kept short. Make one with [NewLines].
type Lines struct {
	w    io.Writer
	n    int           // the cell that was told of last
	told time.Duration // how far it was then
}

// NewLines returns Lines on w.
func NewLines(w io.Writer) *Lines { return &Lines{w: w} }

// Note implements View.
func (l *Lines) Note(text string, takes time.Duration) {
	if takes == 0 {
		fmt.Fprintln(l.w, text)
		return
	}
	fmt.Fprintf(l.w, "%s: %v\n", text, takes)
}

// Watch implements View.
func (l *Lines) Watch(at Position, now measure.Progress) {
	if at.N != l.n {
		l.n, l.told = at.N, 0
	}
	if now.Elapsed-l.told < told {
		return
	}
	l.told = now.Elapsed
	fmt.Fprintf(l.w, "%v: %s, %.0f/s, %s\n", at, elapsed(now), now.RateNow, soFar(now))
}

// Clear implements View.
func (*Lines) Clear() {}

// elapsed says how much of the schedule is over; afterwards late replies come in.
func elapsed(now measure.Progress) string {
	if now.Elapsed > now.Total {
		return fmt.Sprintf("waiting %v for late replies", (now.Elapsed - now.Total).Round(time.Second))
	}
	return fmt.Sprintf("%v of %v", now.Elapsed.Round(time.Second), now.Total)
}

func soFar(now measure.Progress) string {
	if now.Done == 0 {
		return "warming up"
	}
	return fmt.Sprintf("response ms so far: p50 %s p99 %s max %s", words.Millis(now.P50), words.Millis(now.P99), words.Millis(now.Max))
}
