package record

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Dues counts how many messages of all connections are due before an offset that only grows.
type Dues []schedule.Counter

// NewDues returns the counters of a schedule.
func NewDues(cfg load.Config) (d Dues) {
	shares := cfg.Shares()
	if cfg.Share.Of < 2 && cfg.Schedule.Arrivals != schedule.Poisson {
		shares = []schedule.Share{{}} // the connections add up to exactly the whole
	}
	for _, share := range shares {
		d = append(d, cfg.Schedule.Counter(share))
	}
	return d
}

// Until returns how many messages are due before the offset to, which must not go back.
func (d Dues) Until(to time.Duration) (n int64) {
	for i := range d {
		n += int64(d[i].Until(to))
	}
	return n
}
