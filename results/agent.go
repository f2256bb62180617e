package results

import (
	"cmp"
	"slices"
	"time"
)

// An Agent is what one of several machines measured of a cell: its part of the
// connections, and of the messages. Its files are in agents/<name>/ beside cell.json, the
// same as those of a cell.
type Agent struct {
	Name        string      `json:"name"`
	Index       int         `json:"index"`       // it has the connections whose number is index, modulo the number of agents
	Connections int         `json:"connections"` // how many these are
	Environment Environment `json:"environment"`
	Clock       AgentClock  `json:"agent_clock"`

	Lost string `json:"lost,omitempty"` // why nothing came of it: its messages are lost; "" if all came

	OfferedPerS float64       `json:"offered_per_s"`
	ReachedPerS float64       `json:"reached_per_s"`
	Ledger      Ledger        `json:"ledger"`
	Response    Distribution  `json:"response"`
	Service     Distribution  `json:"service"`
	Lag         Distribution  `json:"lag"`
	Hiccup      *Distribution `json:"hiccup,omitempty"`
	Floor       *Floor        `json:"floor,omitempty"`
	Usage       *Usage        `json:"usage,omitempty"`
	Verdict     Verdict       `json:"verdict"`
	Problems    []Problem     `json:"problems,omitempty"`
}

// An AgentClock says how well an agent's start agrees with that of the others. Its response
// times do not depend on it: each is from one clock.
type AgentClock struct {
	BoundNS int64 `json:"bound_ns"` // it began within so much of the common start, but for being late itself: half the shortest round trip to its clock
	LateNS  int64 `json:"late_ns"`  // how much later than the common start its first message was sent, by its own clock

	DriftNS      *int64 `json:"drift_ns,omitempty"`       // by how much its clock went ahead of the coordinator's from before the cell to after it; nil: it could not be read after it
	DriftBoundNS int64  `json:"drift_bound_ns,omitempty"` // by how much DriftNS may be wrong
	DriftOverNS  int64  `json:"drift_over_ns,omitempty"`  // the time between the two readings
}

// Describe takes over what an agent measured from its own cell.
func (a *Agent) Describe(c *Cell) {
	a.Connections = c.Plan.Shape.Connections
	a.OfferedPerS, a.ReachedPerS, a.Ledger = c.OfferedPerS, c.ReachedPerS, c.Ledger
	a.Response, a.Service, a.Lag = c.Response, c.Service, c.Lag
	a.Hiccup, a.Floor, a.Usage = c.Hiccup, c.Floor, c.Usage
	a.Verdict, a.Problems = c.Verdict, c.Problems
}

// AgentsApart is how far the agents of a cell are apart in a percentile of the response.
type AgentsApart struct {
	Percentile float64 `json:"percentile"`
	LeastNS    int64   `json:"least_ns"`
	LeastAgent string  `json:"least_agent"` // the name of the one that has it
	MostNS     int64   `json:"most_ns"`
	MostAgent  string  `json:"most_agent"`
}

// AgentSpreads returns how far agents are apart at p50 and p99, as far as two or more know theirs.
func AgentSpreads(agents []Agent) (list []AgentsApart) {
	for _, p := range []float64{50, 99} {
		if least, most, ok := AgentSpread(agents, p); ok {
			low, _ := least.value(p)
			high, _ := most.value(p)
			list = append(list, AgentsApart{p, int64(low), least.Name, int64(high), most.Name})
		}
	}
	return list
}

// AgentSpread returns the agents with the lowest and the highest value of a percentile of the
// response; ok is false if fewer than two agents know theirs.
func AgentSpread(agents []Agent, percentile float64) (least, most Agent, ok bool) {
	known := slices.DeleteFunc(slices.Clone(agents), func(a Agent) bool {
		_, known := a.value(percentile)
		return !known
	})
	if len(known) < 2 {
		return least, most, false
	}
	by := func(a, b Agent) int {
		x, _ := a.value(percentile)
		y, _ := b.value(percentile)
		return cmp.Compare(x, y)
	}
	return slices.MinFunc(known, by), slices.MaxFunc(known, by), true
}

func (a Agent) value(percentile float64) (time.Duration, bool) {
	row, _ := a.Response.At(percentile)
	return row.Value()
}
