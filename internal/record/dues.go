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

// DueBySize returns how many messages of the window are due of each of several sizes; nil for one size.
func DueBySize(cfg load.Config) (due []int64) {
	mix := cfg.Sizes.Mix(cfg.Schedule.Seed)
	if mix == nil {
		return nil
	}
	due = make([]int64, mix.Len())
	for _, part := range cfg.Parts() {
		counter := cfg.Schedule.Counter(part)
		begin := counter.Until(cfg.Warmup)
		for i, n := range mix.Count(uint32(part.Index), uint64(begin), uint64(counter.Until(cfg.Schedule.Duration))) {
			due[i] += n
		}
	}
	return due
}
