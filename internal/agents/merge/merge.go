// Package merge makes one result of what agents measured of a cell.
package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/users"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A Part is what one agent measured of a cell.
type Part struct {
	results.Agent // Name, Index, Environment and Clock; Lost if nothing came

	Cell        *results.Cell                 // its own result; nil: nothing came
	First, Last time.Duration                 // when the first and the last message of the window were done
	Log         func() (io.ReadCloser, error) // opens its interval log
	Faults      []byte                        // what faults did to it; nil without faults
}

// Options say what to do with the result.
type Options struct {
	Folder *results.CellFolder // where to write the files; nil: nowhere
	Redact func(string) string // removes secrets from a URL or a text; nil: nothing is secret
	// Write calls what writes a file, and may call it again until the disk has room; nil: once.
	Write func(func() error) error
	Central
}

// Central is what one process did for all agents while they measured. See run.CellDriver.
type Central interface {
	// AddPart adds what faults did to part i of so many; packed is nil for a part that was lost.
	AddPart(packed []byte, name string, i, of int) error
	// Counts returns what counts the messages that break objectives; nil: nothing does.
	Counts() *judge.SLOCounts
	// Finish adds to the result what the process knows of the cell, before it is judged.
	Finish(c *results.Cell, raw measure.Raw)
}

// Cell makes one result of the parts of a cell that began at start, in the order of their indexes.
// It is the result that one machine would have: histograms are added bucket by bucket, interval by
// interval, and the rest is computed from the sums. The messages of an agent that was lost were
// due, so they are missing.
func Cell(cell plan.Cell, start time.Time, parts []Part, o Options) (*results.Cell, error) {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	if o.Write == nil {
		o.Write = func(write func() error) error { return write() }
	}
	var m *merger
	err := o.Write(func() (err error) {
		m, err = newMerger(cell, parts, len(parts), o)
		return err
	})
	if err != nil {
		return nil, err
	}
	m.log.Begin(start)
	err = m.play(parts)
	if err == nil {
		_ = o.Write(m.log.Flush) // its error is that of Close
	}
	logErr := m.log.Close()
	if err != nil {
		return nil, err
	}
	c, err := m.result(start, parts, o)
	if err != nil {
		return nil, err
	}
	if o.Folder != nil {
		err = o.Write(func() error { return record.Save(o.Folder, c, m.totals, m.handling()) })
		if err == nil { // a cell that is saved is measured
			err = o.Write(func() error { return o.Folder.Save(c) })
		}
	}
	return c, cmp.Or(err, logErr)
}

// A merger adds up the interval logs of agents.
type merger struct {
	cell     plan.Cell
	central  Central // may be nil
	analysis *judge.Analysis
	log      *record.Log
	decoder  histogram.Decoder
	from     time.Duration // where the current interval began

	current, totals record.Histograms
	hiccup          *histogram.Histogram // of all agents, in the current interval
	hiccups         *histogram.Histogram // in the window
	observed        bool                 // any agent sampled itself
	echo            *histogram.Histogram // how long the echoes of all agents had each message

	of              int           // how many agents share the cell
	groups, origins record.Groups // of consumers; partitions of messages with keys
}

func newMerger(cell plan.Cell, parts []Part, of int, o Options) (*merger, error) {
	log, err := record.CreateLog(o.Folder)
	if err != nil {
		return nil, err
	}
	var counts *judge.SLOCounts
	if o.Central != nil {
		counts = o.Counts()
	}
	m := &merger{
		cell: cell, central: o.Central, analysis: judge.New(cell, judge.Environment{OS: "linux"}, counts), log: log,
		current: record.NewHistograms(), totals: record.NewHistograms(), hiccup: histogram.New(), hiccups: histogram.New(), echo: histogram.New(), of: of,
		groups: record.NewGroups(cell.Shape.Topology.Groups, cell.Shape.Topology.Members),
	}
	m.current.Grow(users.Series(cell.Users())...)
	m.totals.Grow(users.Series(cell.Users())...)
	if cell.Shape.Keys.Count > 0 {
		m.origins = record.NewGroups(load.MostPartitions, 1)
	}
	for _, p := range parts {
		for s, has := range optional(p.Cell) {
			if has {
				m.current.Grow(s)
				m.totals.Grow(s)
			}
		}
	}
	return m, nil
}

// optional returns which series a result has besides those that all have.
func optional(c *results.Cell) map[int]bool {
	if c == nil {
		return nil
	}
	has := map[int]bool{
		record.Ack: c.Ack != nil, record.Complete: c.Ack != nil, record.Published: c.Published != nil, record.Outward: c.Outward != nil, record.Back: c.Outward != nil,
		record.First: c.First != nil, record.Each: c.Each != nil,
	}
	for class := range c.Sizes {
		has[record.OfSize(record.Response, class)], has[record.OfSize(record.Service, class)] = true, true
		has[record.OfSize(record.Ack, class)], has[record.OfSize(record.Complete, class)] = c.Ack != nil, c.Ack != nil
		has[record.OfSize(record.First, class)], has[record.OfSize(record.Each, class)] = c.First != nil, c.Each != nil
	}
	return has
}

// play takes one second after the other from all logs.
func (m *merger) play(parts []Part) error {
	logs, err := openLogs(parts)
	defer logs.close()
	if err != nil {
		return err
	}
	for second := 0; ; second++ {
		more, err := logs.play(second, m.add)
		if err != nil {
			return err
		}
		to := time.Duration(second+1) * record.Period
		if !more {
			to = max(m.from, lastOf(parts))
		}
		m.endSecond(to)
		if !more {
			m.groups.Write(m.log, record.GroupTag, m.cell.Settings.Warmup, to)
			m.origins.Write(m.log, record.PartitionTag, m.cell.Settings.Warmup, to)
			return errors.Join(m.extremes(logs), m.whole(parts))
		}
	}
}

// add adds what an agent recorded in the current second under a tag.
func (m *merger) add(l *agentLog) error {
	switch l.next.Tag {
	case record.HiccupTag:
		m.observed = true
		return m.decoder.Add(l.next, m.hiccup)
	case record.EchoTag:
		return m.decoder.Add(l.next, m.echo)
	}
	part := schedule.Part{Index: l.part.Index, Of: m.of}
	if h := cmp.Or(m.groups.Written(record.GroupTag, l.next.Tag, part), m.origins.Written(record.PartitionTag, l.next.Tag, part)); h != nil {
		return m.decoder.Add(l.next, h)
	}
	s := slices.Index(record.Tags[:], l.next.Tag)
	if s < 0 || m.current[s] == nil {
		return nil // of a later version
	}
	before := m.current[s].Count()
	err := m.decoder.Add(l.next, m.current[s])
	l.held[s] += m.current[s].Count() - before
	return err
}

// lastOf returns when the last agent was over.
func lastOf(parts []Part) (elapsed time.Duration) {
	for _, p := range parts {
		if p.Cell != nil {
			elapsed = max(elapsed, time.Duration(p.Cell.ElapsedNS))
		}
	}
	return elapsed
}

// endSecond ends the current second.
func (m *merger) endSecond(to time.Duration) {
	for s, h := range m.current {
		if h != nil {
			_ = m.totals[s].Merge(h) // both have the same precision
			m.log.Write(record.Tags[s], m.from, to, h)
		}
	}
	if m.observed {
		m.log.Write(record.HiccupTag, m.from, to, m.hiccup)
	}
	m.analysis.Interval(record.Interval{From: m.from, To: to, Histograms: m.current}, func() {})
	if record.WindowOf(m.cell.Settings).Has(m.from, to) {
		_ = m.hiccups.Merge(m.hiccup) // both have the same precision
	}
	m.hiccup.Reset()
	m.current.Reset()
	m.from = to
}

// extremes takes from the agents' results what logs do not hold: the exact smallest and largest
// value of each series. It is an error if a log lacks messages.
func (m *merger) extremes(logs agentLogs) error {
	for s, h := range m.totals {
		if h == nil || s == record.Warmup {
			continue
		}
		if short := logs.short(s); short != "" {
			return fmt.Errorf("the agents' interval logs hold fewer values of %s than their results: a log was cut short%s", record.Tags[s], short)
		}
		if s == record.Outward || s == record.Back {
			continue // a distribution that withholds values has no extremes
		}
		var clamped int64
		least, most := time.Duration(1<<62), time.Duration(0)
		for _, l := range logs {
			d := l.part.Cell.Series(record.Tags[s])
			clamped += d.Clamped
			if d.Count > 0 {
				least, most = min(least, time.Duration(d.MinNS)), max(most, time.Duration(d.MaxNS))
			}
		}
		if err := h.SetExtremes(least, most, clamped); err != nil {
			return fmt.Errorf("the agents' %s: %w", record.Tags[s], err)
		}
	}
	return nil
}

// result sums up the cell and has it judged.
func (m *merger) result(start time.Time, parts []Part, o Options) (*results.Cell, error) {
	out, err := outcome(m.cell, start, parts)
	if err != nil {
		return nil, err
	}
	c := record.Result(m.cell, m.cell.ID(), out, m.totals, o.Redact)
	c.Audit, c.ShortLog = audits(parts), m.log.Short(o.Redact)
	describeAgents(c, parts)
	m.consumers(c, out, parts)
	m.users(c, out, parts)
	m.echoes(c, parts)
	if m.observed {
		c.Hiccup = new(results.NewDistribution(m.hiccups, 0))
	}
	cells := make([]*results.Cell, len(parts))
	for i, p := range parts {
		cells[i] = p.Cell
		if m.central == nil {
			continue
		}
		if err := m.central.AddPart(p.Faults, p.Name, i, len(parts)); err != nil {
			return nil, err
		}
	}
	if m.central != nil {
		m.central.Finish(c, measure.Raw{Outcome: out, Totals: m.totals})
	}
	m.analysis.Describe(c, max(out.DueTill-m.cell.Settings.Warmup, 0))
	m.analysis.JudgeParts(c, cells)
	return c, nil
}

// describeAgents writes into the cell what the agents are, and what only they know.
func describeAgents(c *results.Cell, parts []Part) {
	var held, others float64
	for _, p := range parts {
		if p.Cell == nil {
			due, _, _ := dueOf(c.Plan, p.Index, len(parts)) // it was counted before
			p.Ledger = results.Ledger{Due: due, Lost: due}
			p.Verdict = results.Invalid
			c.Agents = append(c.Agents, p.Agent)
			continue
		}
		p.Describe(p.Cell)
		c.Agents = append(c.Agents, p.Agent)
		if c.Broker.Product == "" {
			c.Broker, c.Measured = p.Cell.Broker, p.Cell.Measured
		}
		c.SpinNS = max(c.SpinNS, p.Cell.SpinNS)
		c.UsableCores += p.Cell.UsableCores
		c.SenderCores += p.Cell.SenderCores
		waited := float64(p.Cell.Held.MeanNS) * float64(p.Cell.Held.Count)
		held, others = held+waited, others+waited*p.Cell.HeldByOthers
	}
	if held > 0 {
		c.HeldByOthers = others / held
	}
	c.AgentSpread = results.AgentSpreads(c.Agents)
}

// users describes users. Their messages are those of one agent, also in parallel.
func (m *merger) users(c *results.Cell, out load.Outcome, parts []Part) {
	list := m.cell.Users()
	due, givenUp := make([]int64, len(list)), make([]int64, len(list))
	for i, p := range parts {
		for kind, n := range users.Due(record.Config(m.cell, schedule.Part{Index: i, Of: len(parts)}), list, out.DueTill) {
			if due[kind] += n; p.Cell != nil {
				givenUp[kind] += p.Cell.Users[kind].GivenUp
			}
		}
	}
	users.Describe(c, due, givenUp, m.totals)
}

// consumers describes groups of consumers and partitions. Their longest times are the exact ones of parts, and
// percentiles in the same bucket do not exceed them.
func (m *merger) consumers(c *results.Cell, out load.Outcome, parts []Part) {
	m.groups.Describe(c, out.Groups)
	m.origins.DescribePartitions(c, c.Broker)
	var groups, partitions [load.MostPartitions]int64
	for _, p := range parts {
		if p.Cell == nil {
			continue
		}
		for i, g := range p.Cell.Groups {
			groups[i] = max(groups[i], g.MaxNS)
		}
		for _, one := range p.Cell.Partitions {
			partitions[one.Number] = max(partitions[one.Number], one.MaxNS)
		}
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		bound(groups[i], append(slices.Clone(g.MembersP99NS), &g.MaxNS, g.P50NS, g.P99NS))
	}
	for i := range c.Partitions {
		one := &c.Partitions[i]
		bound(partitions[one.Number], []*int64{&one.MaxNS, one.P50NS, one.P99NS})
	}
}

// bound lowers values, of which some are not known, to the longest time.
func bound(longest int64, values []*int64) {
	for _, v := range values {
		if v != nil {
			*v = min(*v, longest)
		}
	}
}
