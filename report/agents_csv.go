package report

import (
	"slices"
	"strconv"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// partOf returns what an agent measured as a cell: of its own connections, with what c shares
// with all of its agents.
func partOf(c *results.Cell, a results.Agent) *results.Cell {
	own := &results.Cell{
		ID: c.ID, Plan: c.Plan, Broker: c.Broker, OfferedPerS: a.OfferedPerS, ReachedPerS: a.ReachedPerS, Ledger: a.Ledger,
		Response: a.Response, Service: a.Service, Lag: a.Lag, Hiccup: a.Hiccup, Floor: a.Floor, Usage: a.Usage, Verdict: a.Verdict, Problems: a.Problems,
	}
	own.Plan.Shape.Rate, own.Plan.Shape.Connections = schedule.Rate(a.OfferedPerS), a.Connections
	return own
}

// agentsHead names what spreadFields and agentFields write.
func agentsHead() []string {
	return []string{
		"agents", "agents_lost", "agents_p50_least_ns", "agents_p50_least", "agents_p50_most_ns", "agents_p50_most",
		"agents_p99_least_ns", "agents_p99_least", "agents_p99_most_ns", "agents_p99_most",
		"agent", "agent_host", "agent_clock_bound_ns", "agent_late_ns", "agent_lost",
	}
}

// ofCell is how many columns of agentsHead are about a cell.
const ofCell = 10

// spreadFields writes how far the agents of a cell are apart; nothing of a cell that one
// process measured.
func spreadFields(c *results.Cell) []string {
	fields := make([]string, len(agentsHead()))
	if len(c.Agents) == 0 {
		return fields
	}
	lost := 0
	for _, a := range c.Agents {
		if a.Lost != "" {
			lost++
		}
	}
	fields[0], fields[1] = strconv.Itoa(len(c.Agents)), strconv.Itoa(lost)
	list := results.AgentSpreads(c.Agents)
	for i, p := range []float64{50, 99} {
		if at := slices.IndexFunc(list, func(s results.AgentsApart) bool { return s.Percentile == p }); at >= 0 {
			s := list[at]
			copy(fields[2+4*i:], []string{integer(s.LeastNS), s.LeastAgent, integer(s.MostNS), s.MostAgent})
		}
	}
	return fields
}

// agentFields writes which agent a row is of, and how well its start is known.
func agentFields(a results.Agent) []string {
	return append(make([]string, ofCell), a.Name, a.Environment.Host, integer(a.Clock.BoundNS), integer(a.Clock.LateNS), a.Lost)
}
