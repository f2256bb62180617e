package merge

import (
	"cmp"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// outcome adds up what the agents' engines counted.
func outcome(cell plan.Cell, start time.Time, parts []Part) (out load.Outcome, err error) {
	out = load.Outcome{Start: start, DueTill: cell.Settings.Warmup + cell.Settings.Duration}
	for range cell.Shape.Topology.Groups {
		out.Groups = append(out.Groups, load.Group{Members: make([]int64, cell.Shape.Topology.Members)})
	}
	out.Interrupted = !slices.ContainsFunc(parts, func(p Part) bool { return p.Cell == nil || !p.Cell.Interrupted })
	if out.Interrupted {
		out.DueTill = min(max(interruptedAt(cell, parts), 0), out.DueTill)
	}
	for _, p := range parts {
		if p.Cell == nil {
			due, warmup, err := dueOf(cell, p.Index, len(parts))
			if err != nil {
				return out, err
			}
			addWindow(&out, load.Ledger{Due: due, Lost: due})
			out.Warmup.Add(load.Ledger{Due: warmup, Lost: warmup})
			out.Sizes = load.AddSizes(out.Sizes, sizesOf(cell, p, len(parts), nil, func(l *load.Ledger, n int64) { l.Lost = n }))
			continue
		}
		addOutcome(&out, p, len(parts))
		if p.Cell.Interrupted && !out.Interrupted { // the others went on, and so did its schedule
			due, warmup, err := dueOf(cell, p.Index, len(parts))
			if err != nil {
				return out, err
			}
			due, warmup = due-p.Cell.Ledger.Due, warmup-p.Cell.WarmupLedger.Due
			addWindow(&out, load.Ledger{Due: due, Unsent: due})
			out.Warmup.Add(load.Ledger{Due: warmup, Unsent: warmup})
			out.Sizes = load.AddSizes(out.Sizes, sizesOf(cell, p, len(parts), p.Cell.Sizes, func(l *load.Ledger, n int64) { l.Unsent = n }))
		}
	}
	slices.SortStableFunc(out.Events, func(a, b requester.Event) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(out.Failures, func(a, b load.Failure) int { return cmp.Compare(b.Count, a.Count) })
	return out, out.Window.Check()
}

// interruptedAt returns until when messages were due to agents that were all interrupted, at
// the same moment as near as they were told.
func interruptedAt(cell plan.Cell, parts []Part) (till time.Duration) {
	for _, p := range parts {
		if p.Cell.OfferedPerS > 0 {
			till = max(till, cell.Settings.Warmup+p.Cell.DueFor())
		}
	}
	return till
}

// addWindow adds messages of which no group has any.
func addWindow(out *load.Outcome, l load.Ledger) {
	out.Window.Add(l)
	for i := range out.Groups {
		out.Groups[i].Ledger.Add(l)
	}
}

func addOutcome(out *load.Outcome, p Part, of int) {
	c := p.Cell
	out.Elapsed = max(out.Elapsed, time.Duration(c.ElapsedNS))
	if p.First > 0 && (out.FirstDone == 0 || p.First < out.FirstDone) {
		out.FirstDone = p.First
	}
	out.LastDone = max(out.LastDone, p.Last)
	out.Window.Add(c.Ledger)
	out.Warmup.Add(c.WarmupLedger)
	for i, s := range c.Sizes {
		out.Sizes = load.AddSizes(out.Sizes, append(make([]load.Ledger, i), s.Ledger))
	}
	for i, g := range c.Groups {
		sum := &out.Groups[i]
		sum.Ledger.Add(g.Ledger)
		sum.Duplicate, sum.Disordered = sum.Duplicate+g.Duplicate, sum.Disordered+g.Disordered
		for j, n := range g.Members {
			sum.Members[p.Index+j*of] = n
		}
	}
	out.Strays.Add(c.Strays)
	if c.AckLedger != nil {
		out.Acks = true
		out.AckLedger.Add(*c.AckLedger)
	}
	for _, f := range c.Failures {
		out.Failures = addFailure(out.Failures, f)
	}
	for _, e := range c.Events {
		out.Events = append(out.Events, requester.Event{At: out.Start.Add(time.Duration(e.AtNS)), Text: p.Name + ": " + e.Text})
	}
	out.Left = append(out.Left, c.Left...)
}

// addFailure counts a cause that other agents may have had, too.
func addFailure(list []load.Failure, f load.Failure) []load.Failure {
	if i := slices.IndexFunc(list, func(g load.Failure) bool { return g.Cause == f.Cause }); i >= 0 {
		list[i].Count += f.Count
		return list
	}
	return append(list, f)
}

// sizesOf returns ledgers of the messages of a part that are due and not accounted for, by size: all but
// those that it counted. set says what became of them. It returns nil for one size.
func sizesOf(cell plan.Cell, p Part, of int, counted []results.SizeResult, set func(*load.Ledger, int64)) (list []load.Ledger) {
	cfg := record.Config(cell, schedule.Part{Index: p.Index, Of: of})
	for i, due := range record.DueBySize(cfg) {
		if i < len(counted) {
			due -= counted[i].Ledger.Due
		}
		l := load.Ledger{Due: due}
		set(&l, due)
		list = append(list, l)
	}
	return list
}

// dueOf counts what is due of part i of so many, in the window and in the warm-up.
func dueOf(cell plan.Cell, i, of int) (window, warmup int64, err error) {
	part := schedule.Part{Index: i, Of: of}
	if _, err := cell.Part(part); err != nil {
		return 0, 0, err
	}
	d := record.NewDues(record.Config(cell, part))
	warmup = d.Until(cell.Settings.Warmup)
	return d.Until(cell.Settings.Warmup+cell.Settings.Duration) - warmup, warmup, nil
}
