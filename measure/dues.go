package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// dues counts how many messages of all connections are due by a moment that moves on.
type dues []schedule.Counter

func newDues(spec schedule.Spec, connections int) dues {
	if spec.Arrivals != schedule.Poisson {
		connections = 1 // the connections add up to exactly the whole
	}
	d := make(dues, connections)
	for i := range d {
		d[i] = spec.Counter(schedule.Share{}.Split(i, connections))
	}
	return d
}

// until returns how many messages are due before to, which must not go back.
func (d dues) until(to time.Duration) (n int64) {
	for i := range d {
		n += int64(d[i].Until(to))
	}
	return n
}
