// Package judge decides whether the numbers of a cell can be trusted, and whose limit they show.
// It treats a cell that one process measured and one that agents measured alike.
package judge

import (
	"runtime"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/users"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// An Environment is what a verdict depends on besides the numbers.
type Environment struct {
	Shared bool          // the target is on this machine
	OS     string        // such as linux
	Clock  string        // the kernel's clock source; "" if unknown
	Step   time.Duration // the resolution of the clock; 0: unknown
}

// Here returns the environment of this process. Shared says that the target is on this machine.
func Here(shared bool) Environment {
	return Environment{Shared: shared, OS: runtime.GOOS, Clock: machine.ReadSystem("/").ClockSource, Step: machine.ClockStep()}
}

// An Analysis judges one cell. Interval collects what shows only from one interval to the next;
// Describe writes it into the result, and Judge adds the verdict.
type Analysis struct {
	env     Environment
	window  record.Window
	bounded []int // see boundedSeries
	series  [record.AllSeries]*confidence.Series
	tally   record.Tally
	pauses  pauses
	trend   trend
	conns   connections
	pairs   record.HiccupPairs
	counts  *SLOCounts // nil: not needed
}

// boundedSeries returns the series whose percentiles have confidence intervals: also those of each size, if
// there are several, and those of groups of consumers and of users.
func boundedSeries(cell plan.Cell) []int {
	shape := cell.Shape
	all := []int{record.Response, record.Service, record.Ack, record.Complete}
	if !shape.Topology.Own() {
		all = append(all, record.First, record.Each)
	}
	list := slices.Clone(all)
	for class := range shape.Sizes.Classes() {
		for _, s := range all {
			list = append(list, record.OfSize(s, class))
		}
	}
	return append(list, users.Series(cell.Users())...)
}

// New returns the analysis of a cell. It fills in counts, which may be nil.
func New(cell plan.Cell, env Environment, counts *SLOCounts) *Analysis {
	return &Analysis{env: env, window: record.WindowOf(cell.Settings), bounded: boundedSeries(cell), counts: counts}
}

// Interval adds an interval of the log; intervals come in order. It calls pause between two pieces
// of work, so that it does not hold up the goroutines that take replies.
func (a *Analysis) Interval(i record.Interval, pause func()) {
	switch {
	case a.window.Has(i.From, i.To):
		a.add(i, pause)
	case !a.window.Before(i.From, i.To):
		a.extend(i, pause)
	}
}

func (a *Analysis) add(i record.Interval, pause func()) {
	longest := i.Histograms[record.Response].Max()
	a.tally.Add(i.Histograms[record.Response].Count(), i.To, a.window.To)
	a.pauses.add(i.From, longest)
	a.pairs.Add(longest, i.Hiccup)
	a.trend.add(i.Histograms[record.Response])
	a.conns.add(i.Shortest, pause)
	for _, s := range a.bounded {
		h := i.Histograms[s]
		if h == nil {
			continue
		}
		if a.series[s] == nil {
			a.series[s] = new(confidence.Series)
			a.series[s].Expect(int((a.window.To - a.window.From + record.Period - 1) / record.Period))
		}
		a.series[s].Add(h)
		pause()
	}
	a.counts.add(i.Histograms, false, pause)
}

// extend adds the replies that came after the window to its last interval.
func (a *Analysis) extend(i record.Interval, pause func()) {
	if h := i.Histograms[record.Response]; h.Count() > 0 {
		a.pauses.extend(i.From, h.Max())
	}
	for _, s := range a.bounded {
		if h := i.Histograms[s]; a.series[s] != nil && h.Count() > 0 {
			a.series[s].Extend(h)
		}
	}
	a.counts.add(i.Histograms, true, pause)
}

// Describe writes what the intervals show into a result whose distributions are filled in. Window
// is how long messages were due in the window.
func (a *Analysis) Describe(c *results.Cell, window time.Duration) {
	for _, s := range a.bounded {
		if d := c.Series(record.Tags[s]); a.series[s] != nil {
			a.bound(d, s)
			c.SetHistogram(record.Tags[s], a.series[s].Values())
		}
	}
	users.Compare(c, func(s int) *confidence.Series { return a.series[s] })
	if window > 0 {
		c.ReachedPerS = a.tally.Reached(c, a.window.From, window)
	}
	c.Pauses = a.pauses.result(c, window)
	if !c.Plan.Shape.Arrivals.InBursts() && c.Plan.Shape.Changes.Constant() { // a burst has its own trend, and so has a ramp
		c.Steady = a.trend.steady(c.OfferedPerS)
	}
	if c.Steady != nil {
		c.Steady.Growing = a.conns.growing()
	}
	if c.Hiccup != nil && c.Agents == nil {
		c.Tail = a.pairs.Tail(worstSeconds)
		c.Tail.LargestHiccupNS = c.Hiccup.MaxNS
	}
}

// bound writes the confidence intervals into the rows of a distribution, and how many
// independent events are above each. With few events a percentile is not trusted.
func (a *Analysis) bound(d results.Distribution, s int) {
	series := a.series[s]
	for i, row := range d.Percentiles {
		events, ok := series.Events(row.Percentile, d.Missing)
		interval, _ := series.Interval(row.Percentile, d.Missing)
		d.Percentiles[i].Bound(interval, events, ok)
	}
}

// Judge writes the verdict into a result that is complete otherwise.
func (a *Analysis) Judge(c *results.Cell) { a.JudgeParts(c, nil) }

// Provisional writes the verdict into a result of the messages so far, by the rules that apply to
// a cell that is still measured.
func (a *Analysis) Provisional(c *results.Cell) { c.Judge(problems(c, a.env, running)) }

// endedAlone returns the ends of nodes that no fault caused: no fault that ends that node, or that
// runs a command, which may end any. Each names another fault that the node had then.
func endedAlone(ends []results.NodeEnd, faults []results.Fault) (alone []results.NodeEnd) {
	for _, e := range ends {
		byFault := false
		for _, f := range faults {
			if !f.Done() || f.BeganNS > e.ToNS || f.HealedNS != nil && *f.HealedNS < e.FromNS {
				continue
			}
			switch its := slices.Contains(f.Nodes, e.Node); {
			case f.Plan.Do == plan.Run, its && f.Plan.EndsNode():
				byFault = true
			case its:
				e.During = f.Name()
			}
		}
		if !byFault {
			alone = append(alone, e)
		}
	}
	return alone
}
