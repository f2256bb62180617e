package results

import (
	"fmt"
	"time"
)

// An Echo is the process that sent the messages back, and so had a part in each response.
type Echo struct {
	Kind     string `json:"kind"`     // process or agent, as the plan says
	Received int64  `json:"received"` // messages that it was given, of warm-up and window
	Failed   int64  `json:"failed"`   // of these, those that it could not send back
	Cause    string `json:"cause,omitempty"`

	Handling Distribution  `json:"handling"`         // from being given a message until its client had taken it to be sent
	Busy     float64       `json:"busy"`             // the part of the time, 0 to 1, for which its busiest connection was handling messages
	CPUCores float64       `json:"echo_cpu_cores"`   // that its process used; 0: not known
	Hiccup   *Distribution `json:"hiccup,omitempty"` // how long it was runnable but not scheduled; absent if not known

	// Lost is why nothing is known of it: it was killed, or does not answer; "" if all is. Then
	// the rest is 0.
	Lost string `json:"lost,omitempty"`

	Clock *EchoClock `json:"echo_clock,omitempty"` // absent if its clock is not known: the way is not split
}

// An EchoClock says how well the moment is known at which the echo had a message.
type EchoClock struct {
	BoundNS   int64  `json:"bound_ns"`    // it is known to so much: 0 on one machine, where both read the same clock
	Source    string `json:"source"`      // how it is known, for people
	DriftNS   int64  `json:"drift_ns"`    // by how much the two clocks went apart over the cell, in either direction; part of the bound
	Exchanges int    `json:"exchanges"`   // in how many exchanges they were compared; 0 on one machine
	LeastNS   int64  `json:"withheld_ns"` // percentiles below this are withheld: ten times the bound

	Outward BelowZero `json:"outward_below_zero"`
	Back    BelowZero `json:"back_below_zero"`
}

// A BelowZero counts the times that were less than nothing, which only two clocks can make:
// they count as 0 in the distribution.
type BelowZero struct {
	Count   int64 `json:"count"`
	LeastNS int64 `json:"least_ns"` // the least; 0 if there is none
}

// Add adds what another counted.
func (b *BelowZero) Add(other BelowZero) {
	b.Count += other.Count
	b.LeastNS = min(b.LeastNS, other.LeastNS)
}

// withheldBelow is how many times the bound of two clocks a one-way time must be, so that the
// clocks are no more than a tenth of it.
const withheldBelow = 10

// WithholdOneWay leaves out, of the two halves of the way, each percentile that is less than
// ten times the bound of the clocks. On one machine it does nothing.
func (c *Cell) WithholdOneWay() {
	if c.Echo == nil || c.Echo.Clock == nil {
		return
	}
	clock := c.Echo.Clock
	clock.LeastNS = withheldBelow * clock.BoundNS
	for _, d := range []*Distribution{c.Outward, c.Back} {
		if d != nil {
			d.withhold(clock.LeastNS)
		}
	}
}

// withhold leaves out what is less than least, and the summary if that is.
func (d *Distribution) withhold(least int64) {
	for i := range d.Percentiles {
		row := &d.Percentiles[i]
		if row.ValueNS != nil && *row.ValueNS < least {
			row.ValueNS, row.LowNS, row.HighNS, row.Trusted, row.Withheld = nil, nil, nil, false, true
		}
	}
	for _, ns := range []*int64{&d.MinNS, &d.MeanNS, &d.StdDevNS, &d.MaxNS} {
		if *ns < least {
			*ns = 0
		}
	}
}

// Text says what the clocks allow to know.
func (e EchoClock) Text() string {
	if e.BoundNS == 0 {
		return e.Source
	}
	return fmt.Sprintf("%s, to ±%v", e.Source, time.Duration(e.BoundNS))
}
