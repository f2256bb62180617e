package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// dues counts how many messages of a schedule are due by a moment that moves on.
// Where a formula says it, that costs nothing; random arrivals are drawn once
// more, some 30 ns each.
type dues struct {
	spec  schedule.Spec
	walks []walk // of each connection; nil unless arrivals are random
	n     int64  // messages that the walks have passed
}

// A walk goes along the schedule of one connection.
type walk struct {
	cursor schedule.Cursor
	next   time.Duration
	more   bool
}

func newDues(spec schedule.Spec, connections int) dues {
	d := dues{spec: spec}
	if spec.Arrivals != schedule.Poisson {
		return d
	}
	d.walks = make([]walk, connections)
	for i := range d.walks {
		w := &d.walks[i]
		w.cursor = spec.Cursor(schedule.Share{}.Split(i, connections))
		w.next, w.more = w.cursor.Next()
	}
	return d
}

// until returns how many messages are due before to, which must not go back.
func (d *dues) until(to time.Duration) int64 {
	if d.walks == nil {
		spec := d.spec
		spec.Duration = min(max(to, 0), spec.Duration)
		return int64(spec.Count(schedule.Share{}))
	}
	for i := range d.walks {
		for w := &d.walks[i]; w.more && w.next < to; d.n++ {
			w.next, w.more = w.cursor.Next()
		}
	}
	return d.n
}
