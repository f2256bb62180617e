package measure

import (
	"sync/atomic"
	"time"
)

// rests are the pauses between the pieces of an interval's work. A burst of a few
// milliseconds at each whole second would be the tail of the messages that are due
// then: so there are some milliseconds between two pieces, as long as the second
// allows.
type rests struct {
	tick time.Time   // when the work at hand began
	long bool        // it takes an interval
	over atomic.Bool // the run has ended: nothing is measured any more
}

const (
	betweenPieces = 8 * time.Millisecond
	// Work that is not done by then hurries: an interval must be over when the next one
	// ends.
	hurryAfter = 600 * time.Millisecond
	hurried    = 100 * time.Microsecond
)

// begin begins a piece of work: the taking of an interval, which is long, or else a look
// between two, which is over in a moment.
func (r *rests) begin(interval bool) { r.tick, r.long = time.Now(), interval }

// rest leaves the Go processor to others. runtime.Gosched does not do: it comes back
// before the network poller was asked for replies.
func (r *rests) rest() {
	switch {
	case r.over.Load():
	case !r.long || time.Since(r.tick) > hurryAfter:
		time.Sleep(hurried)
	default:
		time.Sleep(betweenPieces)
	}
}
