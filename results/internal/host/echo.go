package host

import (
	"fmt"
	"time"
)

// An EchoClock describes the error of the moment at which the echo had a message.
type EchoClock struct {
	BoundNS   int64  `json:"bound_ns"`    // the error; 0 on one machine, where both read the same clock
	Source    string `json:"source"`      // how the clocks were compared, for people
	DriftNS   int64  `json:"drift_ns"`    // how far the two clocks moved apart during the cell; part of the bound
	Exchanges int    `json:"exchanges"`   // the number of exchanges that compared them; 0 on one machine
	LeastNS   int64  `json:"withheld_ns"` // percentiles below this are withheld: ten times the bound

	Outward BelowZero `json:"outward_below_zero"`
	Back    BelowZero `json:"back_below_zero"`
}

// A BelowZero counts negative times, which two clocks can produce. They count as 0 in the
// distribution.
type BelowZero struct {
	Count   int64 `json:"count"`
	LeastNS int64 `json:"least_ns"` // the least; 0 if there is none
}

// Add adds the counts of another.
func (b *BelowZero) Add(other BelowZero) {
	b.Count += other.Count
	b.LeastNS = min(b.LeastNS, other.LeastNS)
}

// Text describes the source and the error of the clock.
func (e EchoClock) Text() string {
	if e.BoundNS == 0 {
		return e.Source
	}
	return fmt.Sprintf("%s, to ±%v", e.Source, time.Duration(e.BoundNS))
}
