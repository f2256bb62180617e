package live

import (
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/measure"
)

// lineEvery is how often Lines writes a line.
const lineEvery = 5 * time.Second

// Lines is a View that writes a plain line every five seconds, since lines that
// cannot be redrawn add up. Make one with [NewLines].
type Lines struct {
	Discard
	w       io.Writer
	n       int           // the cell of the last line
	elapsed time.Duration // how far it was then

	audited      int           // the cell of the last line of an audit
	auditElapsed time.Duration // how long that audit had lasted then
}

// NewLines returns Lines on w.
func NewLines(w io.Writer) *Lines { return &Lines{w: w} }

// Begin implements View.
func (l *Lines) Begin(text string, takes time.Duration) {
	if takes == 0 {
		fmt.Fprintln(l.w, text)
		return
	}
	fmt.Fprintf(l.w, "%s: %v\n", text, takes)
}

// Show implements View.
func (l *Lines) Show(at Position, now measure.Progress) {
	if at.N != l.n {
		l.n, l.elapsed = at.N, 0
	}
	if now.Elapsed-l.elapsed < lineEvery {
		return
	}
	l.elapsed = now.Elapsed
	fmt.Fprintf(l.w, "%v: %s, %.0f/s, %s\n", at, elapsed(now), now.RateNow, soFar(now))
}

// elapsed returns the part of the schedule that is over. After its end only late replies
// arrive.
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
