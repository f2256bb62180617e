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
	parts := cfg.Parts()
	if cfg.Part.Of < 2 && cfg.Schedule.Arrivals != schedule.Poisson {
		parts = []schedule.Part{{}} // the connections add up to exactly the whole
	}
	for _, part := range parts {
		d = append(d, cfg.Schedule.Counter(part))
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
