package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// runColumns are the columns of a run as CSV. The column behind a percentile says how many
// messages rank above it.
func runColumns() []string {
	all := results.Percentiles()
	return []string{
		"cell=ID target=Plan/Target/Name product=Broker/Product version=Broker/Version rate_per_s=Plan/Shape/Rate reached_per_s=ReachedPerS",
		"size_bytes=Plan/Shape/Size connections=Plan/Shape/Connections in_flight=Plan/Shape/InFlight arrivals=Plan/Shape/Arrivals repeat=Plan/Repeat",
		"due=Ledger/Due done=Ledger/Done failed=Ledger/Failed lost=Ledger/Lost unsent=Ledger/Unsent",
		"duplicate=Strays/Duplicate foreign=Strays/Foreign corrupt=Strays/Corrupt",
		each("response_p%p_ns=Response/%p/Row/ValueNS response_p%p_above=Response/%p/Row/SamplesAbove "+
			"response_p%p_low_ns=Response/%p/Row/LowNS response_p%p_high_ns=Response/%p/Row/HighNS", all...),
		"service_p99_ns=Service/Percentiles/99/ValueNS lag_p99_ns=Lag/Percentiles/99/ValueNS held_p99_ns=Held/Percentiles/99/ValueNS",
		each("floor_p%p_ns=Floor/Echo/Response/Percentiles/%p/ValueNS", 50, 99, 99.9),
		"hiccup_max_ns=Hiccup/MaxNS tail_seconds=Tail/Intervals tail_seconds_with_hiccup=Tail/WithHiccup",
		"process_cores=Usage/Process/CPUCores machine_cores=Usage/Machine/BusyCores verdict=Verdict problems=Problems slos=SLOs",
		"usable_cores=UsableCores? spin_ns=SpinNS not_judged=NotJudged",
		each("response_p%p_use=Response/%p/Row/Use response_p%p_limited_by=Response/%p/Limits response_p%p_events=Response/%p/Row/Events?", all...),
		"pauses=Pauses/Count pause_least_ns=Pauses/LeastNS pauses_at_most_per_s=Pauses/AtMostPerS? p50_change=Steady/P50Change",
		each("ack_p%p_ns=Ack/Percentiles/%p/ValueNS", all...), each("complete_p%p_ns=Complete/Percentiles/%p/ValueNS", all...),
		"durability=Broker/Durability/Level durability_asked=Broker/Durability/Asked acked=AckLedger/Acked kept=AckLedger/Delivered broken=AckLedger/Missing",
		"unacked=AckLedger/Unacked early=AckLedger/Early disordered=AckLedger/Disordered audit_acked=Audit/Acked audit_kept=Audit/Kept",
		"audit_missing=Audit/Missing audit_unacked=Audit/Unacked audit_duplicates=Audit/Duplicates audit_error=Audit/Error audit_delivered=Audit/Delivered",
		each("published_p%p_ns=Published/Percentiles/%p/ValueNS", all...),
		"nodes_cores=Cost/NodesCores nodes_cpu_ns_per_message=Cost/NodesCPUNS written_bytes_per_message=Cost/WrittenBytes",
		"cancelled_bytes_per_message=Cost/CancelledBytes nodes_resident_bytes=Cost/ResidentBytes client_cpu_ns_per_message=Cost/ClientCPUNS",
		"faults=Faults/Names faults_made=Faults/Sum/Made ack_outage_ns=Faults/Acks/NS ack_outage_over=Faults/Acks/Over",
		"delivery_outage_ns=Faults/Deliveries/NS delivery_outage_over=Faults/Deliveries/Over recovery_ns=Faults/RecoveryNS fault_worst_ns=Faults/WorstNS",
		"fault_due=Faults/Messages/Due fault_failed=Faults/Messages/Failed fault_lost=Faults/Messages/Lost fault_acked_lost=Faults/Messages/AckedLost",
		"fault_duplicates=Faults/Messages/Duplicates fault_out_of_order=Faults/Messages/OutOfOrder",
		each("outward_p%p_ns=Outward/Percentiles/%p/ValueNS", all...), each("back_p%p_ns=Back/Percentiles/%p/ValueNS", all...),
		each("echo_handling_p%p_ns=Echo/Handling/Percentiles/%p/ValueNS", all...),
		"echo=Echo/Kind echo_lost=Echo/Lost echo_received=Echo/Received echo_failed=Echo/Failed echo_bound_ns=Echo/Clock/BoundNS",
		"outward_below_zero=Echo/Clock/Outward/Count back_below_zero=Echo/Clock/Back/Count",
		"agents=Agents/Count agents_lost=Agents/Lost",
		each("agents_p%p_least_ns=Agents/Spread/%p/LeastNS agents_p%p_least=Agents/Spread/%p/LeastAgent "+
			"agents_p%p_most_ns=Agents/Spread/%p/MostNS agents_p%p_most=Agents/Spread/%p/MostAgent", 50, 99),
		"agent=Agent/Name agent_host=Agent/Environment/Host agent_clock_bound_ns=Agent/Clock/BoundNS agent_late_ns=Agent/Clock/LateNS agent_lost=Agent/Lost",
		each("response_p%p_unseen_pauses=Response/%p/Unseen", all...),
		"sizes=Plan/Shape/Sizes topics=Plan/Shape/Topology/Topics? groups=Plan/Shape/Topology/Groups? members=Plan/Shape/Topology/Members?",
		each("first_p%p_ns=First/Percentiles/%p/ValueNS", all...), each("each_p%p_ns=Each/Percentiles/%p/ValueNS", all...),
		"payload=Plan/Shape/Payload headers=Plan/Shape/Headers/Count? header_bytes=Plan/Shape/Headers/Bytes? keys=Plan/Shape/Keys",
		each("fsync_before_p%p_ns=Disk/Before/Sync/Percentiles/%p/ValueNS fsync_after_p%p_ns=Disk/After/Sync/Percentiles/%p/ValueNS", 50, 99, 99.9),
		"backlog_messages=Plan/Shape/Backlog/Messages? backlog_bytes=Plan/Shape/Backlog/Bytes? cold=Plan/Settings/Cold?",
		"backlog_stored=Backlog/Stored drain_ns=Backlog/DrainNS backlog_left=Backlog/Left backlog_last_ns=Backlog/LastNS drained_per_s=Backlog/PerS",
		"until_store_bytes=Plan/Shape/UntilStore? store_fill_end=StoreFill/End store_before_bytes=StoreFill/Before/Bytes store_after_bytes=StoreFill/After/Bytes",
		"store_discarded=StoreFill/After/Discarded audit_discarded=Audit/Discarded?",
	}
}

// each repeats columns for some percentiles, which %p stands for.
func each(columns string, percentiles ...float64) string {
	return words.Join(percentiles, " ", func(p float64) string { return strings.ReplaceAll(columns, "%p", format.Number(p)) })
}

// A runRow is a line of a run as CSV: a cell, or what one agent measured of it. Its fields
// replace those of the cell that a field of a table cannot hold.
type runRow struct {
	*results.Cell

	Response                  []responseRow // of all percentiles
	Problems, SLOs, NotJudged string
	Faults                    *faultTotals
	Agents                    *agentTotals   // of a cell that several agents measured
	Agent                     *results.Agent // whose part it is; nil: the whole cell
	Disk                      *results.Disk  // of the first node; nil: unknown
}

type responseRow struct {
	Percentile float64
	Row        results.Percentile
	Limits     string
	Unseen     bool // see [answer.Unseen]
}

// runTable has a row for each cell, and below it one for each agent that measured a part of
// it.
func runTable(cells []*results.Cell) document.Table {
	var rows []runRow
	for _, c := range cells {
		for _, one := range c.BySize() {
			row := newRunRow(one)
			row.Agents = totalAgents(c.Agents)
			rows = append(rows, row)
		}
		for _, a := range c.Agents {
			row := newRunRow(partOf(c, a))
			row.Agent = &a
			rows = append(rows, row)
		}
	}
	return document.Records(rows, runColumns()...)
}

func newRunRow(c *results.Cell) runRow {
	row := runRow{
		Cell: c, NotJudged: lacking(c.NotJudged), Faults: totalFaults(c.Faults),
		Problems: words.Join(c.Problems, "; ", func(p results.Problem) string { return fmt.Sprintf("%s (%s): %s", p.Code, p.Severity, p.Text) }),
		SLOs:     words.Join(c.SLOs, "; ", func(s results.SLO) string { return fmt.Sprintf("%v %s: %s", s.Objective, s.Outcome, s.Text) }),
	}
	if len(c.Disks) > 0 {
		row.Disk = &c.Disks[0]
	}
	unseen := answer.Unseen(c)
	for _, p := range results.Percentiles() {
		at, _ := c.Response.At(p)
		limits := words.Join(at.LimitedBy, "; ", func(c results.Code) string { return string(c) })
		row.Response = append(row.Response, responseRow{p, at, limits, slices.Contains(unseen, p)})
	}
	return row
}

// partOf returns the part of a cell that an agent measured, as a cell.
func partOf(c *results.Cell, a results.Agent) *results.Cell {
	own := &results.Cell{
		ID: c.ID, Plan: c.Plan, Broker: c.Broker, OfferedPerS: a.OfferedPerS, ReachedPerS: a.ReachedPerS, Ledger: a.Ledger,
		Response: a.Response, Service: a.Service, Lag: a.Lag, Hiccup: a.Hiccup, Floor: a.Floor, Usage: a.Usage, Verdict: a.Verdict, Problems: a.Problems,
	}
	own.Plan.Shape.Rate, own.Plan.Shape.Connections = schedule.Rate(a.OfferedPerS), a.Connections
	return own
}

// agentTotals hold the ranges of percentiles over the agents of a cell.
type agentTotals struct {
	Count, Lost int
	Spread      []results.AgentsApart
}

// totalAgents returns nil for a cell that one process measured.
func totalAgents(agents []results.Agent) *agentTotals {
	if len(agents) == 0 {
		return nil
	}
	t := &agentTotals{Count: len(agents), Spread: results.AgentSpreads(agents)}
	for _, a := range agents {
		if a.Lost != "" {
			t.Lost++
		}
	}
	return t
}

// faultTotals sum up the faults of a cell: the longest of their times, and the sums of their
// messages. Unknown values are nil.
type faultTotals struct {
	Names               string
	Sum                 results.FaultSummary
	Messages            *results.FaultSummary // Sum, if messages were due
	Acks, Deliveries    *outageTotal
	RecoveryNS, WorstNS *int64
}

// An outageTotal is how long an outage was, 0 if none is shown, and whether it ended.
type outageTotal struct {
	NS   int64
	Over bool
}

// totalFaults returns nil for a cell without faults.
func totalFaults(faults []results.Fault) *faultTotals {
	if len(faults) == 0 {
		return nil
	}
	t := &faultTotals{Names: words.Join(faults, "; ", faultText)}
	var acks, deliveries *results.Outage
	recovery, recovered, worst, lost := int64(-1), true, int64(0), int64(0)
	for _, one := range faults {
		h := one.Impact
		if one.Done() {
			t.Sum.Made++
		}
		if h == nil {
			continue
		}
		t.Sum.Add(h)
		if h.AckedLost != nil { // a message that several faults may have lost counts once
			lost = max(lost, *h.AckedLost)
		}
		acks, deliveries, worst = results.Worse(acks, h.Acks), results.Worse(deliveries, h.Deliveries), max(worst, h.WorstNS)
		if recovered = recovered && h.RecoveredNS != nil; recovered {
			recovery = max(recovery, *h.RecoveredNS)
		}
	}
	if t.Sum.AckedLost != nil {
		*t.Sum.AckedLost = lost
	}
	t.Acks, t.Deliveries = totalOutage(acks), totalOutage(deliveries)
	if recovered && recovery >= 0 {
		t.RecoveryNS = &recovery
	}
	if t.Sum.Due > 0 {
		t.Messages = &t.Sum
	}
	if t.Sum.Due > 0 && t.Sum.Done > 0 {
		t.WorstNS = &worst
	}
	return t
}

func totalOutage(o *results.Outage) *outageTotal {
	switch {
	case o == nil || o.Unknown:
		return nil
	case !o.Shown:
		return &outageTotal{0, true}
	}
	return &outageTotal{o.ForNS, o.Over()}
}

// faultText writes a fault, and why it was not made or healed.
func faultText(f results.Fault) string {
	if f.Error != "" {
		return f.Name() + ": " + f.Error
	}
	return f.Name()
}
