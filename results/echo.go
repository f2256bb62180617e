package results

import "github.com/brokerbench/brokerbench/results/internal/host"

// An Echo is the process that sent the messages back. Its handling is part of each response.
type Echo struct {
	Kind     string `json:"kind"`     // process or agent, as the plan says
	Received int64  `json:"received"` // messages that reached it, in warm-up and window
	Failed   int64  `json:"failed"`   // of these, those that it could not send back
	Cause    string `json:"cause,omitempty"`

	Handling Distribution  `json:"handling"`         // from receiving a message until handing it to its client
	Busy     float64       `json:"busy"`             // the share of the time, 0 to 1, for which its busiest connection was handling messages
	CPUCores float64       `json:"echo_cpu_cores"`   // used by its process; 0: unknown
	Hiccup   *Distribution `json:"hiccup,omitempty"` // how long it was runnable but not scheduled; absent if not known

	// Lost says why nothing is known about it, such as that it was killed; the rest is then 0.
	Lost string `json:"lost,omitempty"`

	Clock *EchoClock `json:"echo_clock,omitempty"` // absent if its clock is unknown, so that the way is not split
}

// These describe the clock of an echo.
type (
	// An EchoClock describes the error of the moment at which the echo had a message.
	EchoClock = host.EchoClock
	// A BelowZero counts negative times, which two clocks can produce. They count as 0 in the
	// distribution.
	BelowZero = host.BelowZero
)

// withheldBelow is the smallest multiple of the clocks' error that a one-way time must be:
// their error is then at most a tenth of it.
const withheldBelow = 10

// WithholdOneWay removes the percentiles of the two halves of the way that are less than ten
// times the error of the clocks. On one machine it does nothing.
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

// withhold removes all times below least.
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
