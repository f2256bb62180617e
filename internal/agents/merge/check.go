package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Limits of a part. The engine records as many events, and an hour is longer than a process may
// stand still that is not lost.
const (
	mostEvents   = 10_001
	mostFailures = 1000
	mostLeft     = 1000
	mostOverrun  = time.Hour
)

// Check returns why a part cannot be what one of so many agents measured of a cell: an agent may be
// broken or hostile. Merging takes no longer, and no more memory, than for any part that passes.
func (p Part) Check(cell plan.Cell, of int) error {
	if err := p.checkCounts(cell, of); err != nil {
		return err
	}
	m, err := newMerger(cell, []Part{p}, of, Options{})
	if err != nil {
		return err
	}
	logs, err := openLogs([]Part{p})
	defer logs.close()
	if err != nil {
		return err
	}
	l, elapsed := logs[0], time.Duration(p.Cell.ElapsedNS)
	for err == nil && !l.ended {
		if at := l.next.Start; at < 0 || at > elapsed+record.Period {
			return fmt.Errorf("its interval log has a line at %v of a cell that took %v", at, elapsed)
		}
		if err = m.add(l); err == nil {
			err = l.read()
		}
	}
	if err != nil {
		return err
	}
	for s, h := range m.current {
		due := p.Cell.Ledger.Due + p.Cell.WarmupLedger.Due
		if strings.HasPrefix(record.Tags[s], record.Tags[record.Each]) {
			due *= int64(cell.Shape.Topology.Groups)
		}
		if h != nil && h.Count() > due {
			return fmt.Errorf("its interval log has %d values of %s, and %d messages were due", h.Count(), record.Tags[s], due)
		}
	}
	m.totals = m.current
	return errors.Join(m.extremes(logs), m.whole([]Part{p}))
}

// checkCounts checks the numbers of a part against the schedule.
func (p Part) checkCounts(cell plan.Cell, of int) error {
	c := p.Cell
	window, warmup, err := dueOf(cell, p.Index, of)
	if err != nil {
		return err
	}
	for _, ledger := range []struct {
		results.Ledger
		due  int64
		name string
	}{{c.Ledger, window, "window"}, {c.WarmupLedger, warmup, "warm-up"}} {
		l := ledger.Ledger
		if err := l.Check(); err != nil {
			return err
		}
		if min(l.Done, l.Failed, l.Lost, l.Unsent) < 0 || l.Due > ledger.due || l.Due < ledger.due && !c.Interrupted {
			return fmt.Errorf("the ledger of its %s is %+v, and %d messages were due", ledger.name, l, ledger.due)
		}
	}
	if want := len(cell.Users()); len(c.Users) != want {
		return fmt.Errorf("it reports %d kinds of users, and has %d", len(c.Users), want)
	}
	if err := p.checkGroups(cell.Shape.Topology.Part(schedule.Part{Of: of})); err != nil {
		return err
	}
	elapsed := time.Duration(c.ElapsedNS)
	if most := cell.Settings.Warmup + cell.Settings.Duration + cell.Settings.Timeout + mostOverrun; elapsed < 0 || elapsed > most {
		return fmt.Errorf("it measured for %v, and %v are the most", elapsed, most)
	}
	if late := time.Duration(p.Clock.LateNS); min(p.First, p.Last, late) < 0 || max(p.First, p.Last, late) > elapsed {
		return fmt.Errorf("its first message was %v late, and messages were done from %v to %v of %v", late, p.First, p.Last, elapsed)
	}
	if len(c.Events) > mostEvents || len(c.Failures) > mostFailures || len(c.Left) > mostLeft {
		return fmt.Errorf("it reports %d events, %d kinds of failures and %d leftovers: %d, %d and %d are the most",
			len(c.Events), len(c.Failures), len(c.Left), mostEvents, mostFailures, mostLeft)
	}
	return nil
}

// checkGroups checks what the groups of consumers of a part got, of the part's topology, and the numbers of partitions.
func (p Part) checkGroups(t plan.Topology) error {
	c := p.Cell
	if len(c.Groups) != t.Groups || t.Own() != (c.First == nil) || t.Own() != (c.Each == nil) {
		return fmt.Errorf("it reports %d groups of consumers, and has %d", len(c.Groups), t.Groups)
	}
	for _, one := range c.Partitions {
		if one.Number < 0 || one.Number >= load.MostPartitions {
			return fmt.Errorf("it reports partition %d, and %d are the most", one.Number, load.MostPartitions)
		}
	}
	var counted []load.Group
	for i, g := range c.Groups {
		if g.Number != i || len(g.Members) != t.Members || g.Ledger.Due != c.Ledger.Due || min(g.Ledger.Done, g.Ledger.Failed, g.Ledger.Lost, g.Ledger.Unsent, slices.Min(g.Members)) < 0 {
			return fmt.Errorf("its group %d of %v is %+v, and %d messages were due", i, t.Text(), g, c.Ledger.Due)
		}
		counted = append(counted, load.Group{Ledger: g.Ledger, Members: g.Members})
	}
	return load.CheckGroups(counted, c.Ledger)
}

// whole returns an error if the logs lack deliveries to a group, or from partitions, that the results of parts count.
func (m *merger) whole(parts []Part) error {
	var groups, partitions [load.MostPartitions]int64
	for _, p := range parts {
		if p.Cell == nil {
			continue
		}
		for i, g := range p.Cell.Groups {
			groups[i] += g.Ledger.Done
		}
		for _, one := range p.Cell.Partitions {
			partitions[one.Number] += one.Messages
		}
	}
	for i := range m.cell.Shape.Topology.Groups {
		if got := m.groups.Count(i); got != groups[i] {
			return fmt.Errorf("the agents' interval logs hold %d deliveries to group %d, and their results %d", got, i, groups[i])
		}
	}
	for i, want := range partitions {
		if m.cell.Shape.Keys.Count > 0 && m.origins.Count(i) != want {
			return fmt.Errorf("the agents' interval logs hold %d messages of partition %d, and their results %d", m.origins.Count(i), i, want)
		}
	}
	return nil
}
