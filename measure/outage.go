package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A silence is an outage if it is more than outageTimes the usual (on a busy machine the longest
// of some seconds is often twice that of the seconds before, and without a fault), and outageDue messages or
// more were due in it: one or two alone may be late or lost by themselves.
const (
	outageTimes = 5
	outageDue   = 3
)

// A hush is what is silent from one fault on: deliveries, or acknowledgements.
type hush struct {
	whole      judged // all connections together
	worst      judged // the connection that was silent for the longest
	wholeUsual time.Duration
	usual      time.Duration // of the connections, the longest
	shown      int           // on how many connections there is an outage
	due        int64         // in their outages
	quiet      time.Duration // the longest silence of a connection that is no outage
}

// A judged is a silence, and whether it is an outage.
type judged struct {
	caught

	shown bool
	due   int64
}

// judge makes an outage of a silence, if it is one.
func judge(c caught, usual time.Duration, due int64) judged {
	return judged{c, c.length() > outageTimes*usual && due >= outageDue, due}
}

// worse tells whether a silence is worse than another: an outage is worse than none, and one
// that is not over worse than one that is.
func (j judged) worse(other judged) bool {
	switch {
	case j.shown != other.shown:
		return j.shown
	case j.shown && j.ended != other.ended:
		return !j.ended
	}
	return j.length() > other.length()
}

// hushes returns what is silent from each fault on; nil if nothing came before the first, so
// that nothing is known of what is usual.
func (s *silences) hushes(after []aftermath, warmup time.Duration) []hush {
	began := after[0].began
	wholeUsual, known := s.all.usual(warmup, began)
	if !known {
		return nil
	}
	usual := time.Duration(0)
	for i := range s.each {
		own, _ := s.each[i].usual(warmup, began)
		usual = max(usual, own)
	}
	list := make([]hush, len(after))
	for i := range list {
		list[i].usual, list[i].wholeUsual = usual, wholeUsual
	}
	return list
}

// add adds a silence of a connection.
func (h *hush) add(one judged) {
	if one.shown {
		h.shown++
		h.due += one.due
	}
	if one.worse(h.worst) {
		h.worst = one
	}
}

// outage returns what there is to say, of so many connections.
func (h hush) outage(connections int) *results.Outage {
	one, usual := h.whole, h.wholeUsual
	if h.worst.shown && !h.whole.worse(h.worst) {
		one, usual = h.worst, h.usual
	}
	o := &results.Outage{
		Shown: one.shown, ForNS: int64(one.length()), LastNS: int64(one.from), Connections: h.shown, UsualNS: int64(usual), Due: h.due,
	}
	if !one.shown {
		o.ForNS = max(o.ForNS, int64(h.quiet), int64(h.worst.length()))
	}
	if one.ended {
		o.FirstNS = new(int64(one.to))
	}
	if h.whole.shown {
		o.WholeNS, o.Connections, o.Due = int64(h.whole.length()), connections, max(h.due, h.whole.due)
	}
	return o
}
