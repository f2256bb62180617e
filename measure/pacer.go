package measure

import (
	"sync/atomic"
	"time"
)

// A pacer pauses between the pieces of an interval's work. A burst of a few
// milliseconds at each whole second would be the tail of the messages that are due
// then: so there are some milliseconds between two pieces, as long as the second
// allows.
type pacer struct {
	began time.Time   // when the work at hand began
	long  bool        // the work ends an interval
	over  atomic.Bool // the run has ended, so that nothing is disturbed
}

const (
	betweenPieces = 8 * time.Millisecond
	// After this much time work hurries: it must be over when the next interval ends.
	hurryAfter = 600 * time.Millisecond
	hurried    = 100 * time.Microsecond
)

// begin begins a piece of work, which is long if it ends an interval.
func (p *pacer) begin(long bool) { p.began, p.long = time.Now(), long }

// pause leaves the Go processor to others. runtime.Gosched would return before the network
// poller was asked for replies.
func (p *pacer) pause() {
	switch {
	case p.over.Load():
	case !p.long || time.Since(p.began) > hurryAfter:
		time.Sleep(hurried)
	default:
		time.Sleep(betweenPieces)
	}
}
