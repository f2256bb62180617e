package impact

import (
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A gap is an outage if it is more than outageTimes the usual, and outageDue messages or more were due in
// it: one or two alone may be late or lost by themselves.
const (
	outageTimes = 10
	outageDue   = 3
)

// outages are the gaps after one fault, of deliveries or of acknowledgements.
type outages struct {
	whole      candidate // all connections together
	worst      candidate // the connection that was silent for the longest
	wholeUsual time.Duration
	usual      time.Duration // of the connections, the longest
	shown      int           // on how many connections there is an outage
	due        int64         // in their outages
	longest    time.Duration // the longest gap of a connection that is no outage
}

// A candidate is a gap that belongs to a fault, and may be an outage.
type candidate struct {
	gap

	counts time.Duration // from when it counts: the fault, or when it began
	ended  bool
	usual  time.Duration
	of     *outages
	due    int64 // how many messages were due in it
}

func (c candidate) length() time.Duration { return c.To - c.counts }

// shown tells whether it is an outage.
func (c candidate) shown() bool { return c.length() > outageTimes*c.usual && c.due >= outageDue }

// worse tells whether a gap is worse than another: an outage is worse than none, and one
// that is not over worse than one that is.
func (c candidate) worse(other candidate) bool {
	switch {
	case c.shown() != other.shown():
		return c.shown()
	case c.shown() && c.ended != other.ended:
		return !c.ended
	}
	return c.length() > other.length()
}

// outagesAfter returns the gaps after each fault; nil if nothing came before the first, so that the
// usual gap is unknown.
func (s *connGaps) outagesAfter(after []span, warmup time.Duration) []outages {
	began := after[0].began
	wholeUsual, known := s.All.usual(warmup, began)
	if !known {
		return nil
	}
	usual := time.Duration(0)
	for i := range s.Each {
		own, _ := s.Each[i].usual(warmup, began)
		usual = max(usual, own)
	}
	list := make([]outages, len(after))
	for i := range list {
		list[i].usual, list[i].wholeUsual = usual, wholeUsual
	}
	return list
}

// add adds a gap of a connection.
func (h *outages) add(one candidate) {
	if one.shown() {
		h.shown++
		h.due += one.due
	}
	if one.worse(h.worst) {
		h.worst = one
	}
}

// outage returns what there is to say, of so many connections.
func (h *outages) outage(connections int) *results.Outage {
	one, usual := h.whole, h.wholeUsual
	if h.worst.shown() && !h.whole.worse(h.worst) {
		one, usual = h.worst, h.usual
	}
	o := &results.Outage{
		Shown: one.shown(), ForNS: int64(one.length()), LastNS: int64(one.From), Connections: h.shown, UsualNS: int64(usual), Due: h.due,
	}
	if !o.Shown {
		o.ForNS = max(o.ForNS, int64(h.longest), int64(h.worst.length()))
	}
	o.Unknown = !o.Shown && !one.ended && one.From < one.counts // nothing came after the fault
	if one.ended {
		o.FirstNS = new(int64(one.To))
	}
	if h.whole.shown() {
		o.WholeNS, o.Connections, o.Due = int64(h.whole.length()), connections, max(h.due, h.whole.due)
	}
	return o
}
