package results

import (
	"cmp"
	"slices"
	"time"
)

// An Agent is the part of a cell that one of several machines measured: some of the
// connections, and their messages. Its files are in agents/<name>/ beside cell.json, and
// have the names of a cell's files.
type Agent struct {
	Name        string      `json:"name"`
	Index       int         `json:"index"`       // its connections are those whose number is index, modulo the number of agents
	Connections int         `json:"connections"` // the number of them
	Environment Environment `json:"environment"`
	Clock       AgentClock  `json:"agent_clock"`

	Lost string `json:"lost,omitempty"` // why it has no results, so that its messages are lost; "" if it has

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

// An AgentClock says how well an agent's start agrees with the common start. Response times
// do not depend on it: each comes from one clock.
type AgentClock struct {
	BoundNS int64 `json:"bound_ns"`           // the error of its clock: half the shortest round trip to it
	LateNS  int64 `json:"late_ns"`            // the delay of its first message after the common start, by its clock
	LimitNS int64 `json:"limit_ns,omitempty"` // what the plan permits of both together, see Apart; 0: nothing in particular

	DriftNS      *int64 `json:"drift_ns,omitempty"`       // how far its clock moved ahead of the coordinator's during the cell; nil: it could not be read after the cell
	DriftBoundNS int64  `json:"drift_bound_ns,omitempty"` // the error of DriftNS
	DriftOverNS  int64  `json:"drift_over_ns,omitempty"`  // the time between the two readings
}

// Apart returns how far an agent's first message may have been from the common start.
func (k AgentClock) Apart() time.Duration { return time.Duration(k.BoundNS + max(k.LateNS, 0)) }

// Describe copies an agent's measurements from its cell.
func (a *Agent) Describe(c *Cell) {
	a.Connections = c.Plan.Shape.Connections
	a.OfferedPerS, a.ReachedPerS, a.Ledger = c.OfferedPerS, c.ReachedPerS, c.Ledger
	a.Response, a.Service, a.Lag = c.Response, c.Service, c.Lag
	a.Hiccup, a.Floor, a.Usage = c.Hiccup, c.Floor, c.Usage
	a.Verdict, a.Problems = c.Verdict, c.Problems
}

// AgentsApart is the range of a percentile of the response over the agents of a cell.
type AgentsApart struct {
	Percentile float64 `json:"percentile"`
	LeastNS    int64   `json:"least_ns"`
	LeastAgent string  `json:"least_agent"` // the name of the agent that has it
	MostNS     int64   `json:"most_ns"`
	MostAgent  string  `json:"most_agent"`
}

// AgentSpreads returns the ranges of p50 and p99, if at least two agents know them.
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
// response; ok is false if fewer than two agents know it.
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
