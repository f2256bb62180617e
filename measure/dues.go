package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// dues counts how many messages of all connections are due by a moment that moves on.
type dues []schedule.Counter

func newDues(cfg load.Config) (d dues) {
	shares := cfg.Shares()
	if cfg.Share.Of < 2 && cfg.Schedule.Arrivals != schedule.Poisson {
		shares = []schedule.Share{{}} // the connections add up to exactly the whole
	}
	for _, share := range shares {
		d = append(d, cfg.Schedule.Counter(share))
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
