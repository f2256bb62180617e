package history

import (
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// The names of the metrics that are not percentiles.
const (
	loss    = "loss"
	reached = "reached"
)

// An identity holds the properties that the cells of a series have in common. Names of
// runs, versions and settings of clients may differ: a history shows their effects.
type identity struct {
	target, product string
	shape           plan.Shape
	warmup, window  time.Duration
}

func identityOf(t compare.Trial) identity {
	s := t.Cell.Plan.Settings
	return identity{t.Target(), t.Cell.Broker.Product, t.Shape(), s.Warmup, s.Duration}
}

// A line is the runs that measured the same cell, the oldest first.
type line struct {
	identity
	sets []*compare.Set // with these cells alone
}

// lines returns a line for each identity, in the order in which runs have them.
func lines(runs []*compare.Set) (list []line) {
	var ids []identity
	for _, run := range runs {
		for _, t := range run.Trials {
			ids = append(ids, identityOf(t))
		}
	}
	for _, id := range group.Unique(ids) {
		l := line{identity: id}
		for _, run := range runs {
			trials := slices.DeleteFunc(slices.Clone(run.Trials), func(t compare.Trial) bool { return identityOf(t) != id })
			if len(trials) > 0 {
				l.sets = append(l.sets, &compare.Set{Dir: run.Dir, Run: run.Run, Trials: trials})
			}
		}
		list = append(list, l)
	}
	return list
}

// cell returns the series of a line, and the runs that are in none.
func (l line) cell() (cell Cell, out []Out) {
	cell = Cell{
		ID: l.sets[0].Trials[0].Cell.Plan.SharedID(), Target: l.target, Product: l.product, Shape: l.shape, DurationNS: int64(l.window),
	}
	for _, s := range l.sets {
		cell.Runs = append(cell.Runs, Run{s.Dir, s.Run.Started, len(s.Trials)})
		if reason := unfit(s.Trials); reason != "" {
			out = append(out, Out{s.Dir, cell.Title() + " " + reason})
		}
	}
	responses := make([]results.Distribution, len(l.sets))
	for i, s := range l.sets {
		responses[i] = compare.Pooled(s.Trials)
	}
	for _, m := range metrics() {
		series := Metric{Name: m.name}
		for i, s := range l.sets {
			series.Values = append(series.Values, m.of(s.Trials, responses[i]))
		}
		cell.Metrics = append(cell.Metrics, series)
	}
	return cell, out
}

// unfit returns why percentiles of a run's repeats are in no series, or "".
func unfit(trials []compare.Trial) string {
	for _, t := range trials {
		if t.Cell.Verdict == results.Invalid {
			return "is INVALID in " + t.Repeat()
		}
	}
	return ""
}

// A metric is a number of a run's repeats, whose responses are given together; nil if it is
// unknown.
type metric struct {
	name string
	of   func(repeats []compare.Trial, all results.Distribution) *float64
}

func metrics() []metric {
	return []metric{
		{"p50", percentile(50)},
		{"p99", percentile(99)},
		{"p99.9", percentile(99.9)},
		{"max", percentile(100)},
		{loss, lost},
		{reached, reachedOf},
	}
}

// percentile returns that of all repeats together. A run with a bad repeat is left out
// as a whole: without that repeat it would look better than it was.
func percentile(p float64) func([]compare.Trial, results.Distribution) *float64 {
	return func(repeats []compare.Trial, all results.Distribution) *float64 {
		row, _ := all.At(p)
		if unfit(repeats) != "" || row.NoValue() != "" || row.TooFew() != "" {
			return nil
		}
		return new(float64(*row.ValueNS))
	}
}

// lost returns the share of the messages that are not done; nil for an interrupted cell.
func lost(repeats []compare.Trial, _ results.Distribution) *float64 {
	var l results.Ledger
	for _, t := range repeats {
		if t.Cell.Interrupted {
			return nil
		}
		l.Add(t.Cell.Ledger)
	}
	if l.Due == 0 {
		return nil
	}
	return new(float64(l.Missing()) / float64(l.Due))
}

// reachedOf returns the reached share of the offered rate; nil for an interrupted cell.
func reachedOf(repeats []compare.Trial, _ results.Distribution) *float64 {
	var offered, got float64
	for _, t := range repeats {
		if t.Cell.Interrupted {
			return nil
		}
		offered, got = offered+t.Cell.OfferedPerS, got+t.Cell.ReachedPerS
	}
	if offered == 0 {
		return nil
	}
	return new(math.Round(got/offered*1e6) / 1e6)
}

// differs returns the differences between a run and the one before it.
func (l line) differs(run int, decisive []compare.Decisive) []compare.Difference {
	c, err := compare.Compare(l.sets[run-1], l.sets[run], compare.Options{Force: true, By: compare.ByShape, Decisive: decisive})
	if err != nil {
		return nil // one target of the same shape on both sides is always comparable
	}
	return slices.DeleteFunc(append(c.Unequal, c.Differences...), func(d compare.Difference) bool { return d.Name == "repeats" || d.Name == "host" })
}
