package measure

import (
	"cmp"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A point is how many messages were due and done by a moment.
type point struct {
	at        time.Duration
	due, done int64
}

// A pace is at which rates messages were due and done.
type pace struct{ offered, reached float64 }

// rates follows how fast messages are due and done.
type rates struct {
	points []point // of the last second, oldest first; never empty
	first  point   // the first of the window
	pace   pace    // of the window so far, until the schedule is over
}

// add adds a point, and drops those that the last second does not need.
func (r *rates) add(p point, s plan.Settings) {
	r.points = append(r.points, p)
	for len(r.points) > 2 && r.points[1].at <= p.at-period {
		r.points = r.points[1:]
	}
	switch {
	case p.at < s.Warmup || p.at > s.Warmup+s.Duration:
	case r.first == point{}:
		r.first = p
	default:
		r.pace = between(r.first, p)
	}
}

func (r *rates) last() point { return r.points[len(r.points)-1] }

// now returns the messages done per second, over the last second or so.
func (r *rates) now() float64 { return between(r.points[0], r.last()).reached }

func between(a, b point) pace {
	seconds := cmp.Or(max(b.at-a.at, 0).Seconds(), 1)
	return pace{float64(b.due-a.due) / seconds, float64(b.done-a.done) / seconds}
}
