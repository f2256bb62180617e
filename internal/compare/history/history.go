// Package history finds when the results of a plan changed, over many runs.
//
//	dirs, err := history.Find([]string{"brokerbench-results"})
//	runs, out := history.Read(dirs)
//	h, err := history.New(runs, history.Options{})
//
// docs/methodology.md (Over many runs) explains the method to users: the hierarchical bisection of
// E-divisive means, by ranks, with a null distribution that keeps the correlation of neighbouring
// runs, and with episodes besides steps. docs/simulations/history.md has the false alarms and the
// power.
package history

import (
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/plan"
)

// Schema is that of a History in JSON.
const Schema = "brokerbench/history/1"

// Confidence is the probability that a series without a change shows none.
const Confidence = 0.95

// DefaultNewest is the largest number of runs after a new change.
const DefaultNewest = 10

// Options select the changes to look for. Their zero value is the default.
type Options struct {
	Newest int // a change is new if so many runs or fewer follow it; 0 is DefaultNewest

	Decisive []compare.Decisive // options that are listed first among the differences
}

// A History holds the changes in the results of several runs.
type History struct {
	Schema  string  `json:"schema"` // Schema
	Runs    int     `json:"runs"`
	Newest  int     `json:"newest"`  // a change is new if so many runs or fewer follow it
	Judged  int     `json:"judged"`  // how many series had enough runs
	LeastP  float64 `json:"least_p"` // the p-value below which a series shows a change
	Cells   []Cell  `json:"cells"`
	LeftOut []Out   `json:"left_out,omitempty"` // runs and cells in no series
}

// An Out is a run, or a cell of it, that is not in the history.
type Out struct {
	Run    string `json:"run"` // its folder
	Reason string `json:"reason"`
}

// A Cell is a target, a shape and a window that were measured in several runs.
type Cell struct {
	ID         string     `json:"id"` // without the number of a repeat
	Target     string     `json:"target"`
	Product    string     `json:"product"`
	Shape      plan.Shape `json:"shape"`
	DurationNS int64      `json:"duration_ns"` // of the window
	Runs       []Run      `json:"runs"`        // that measured it, the oldest first
	Metrics    []Metric   `json:"metrics"`
}

// Title names the target and the shape for people.
func (c Cell) Title() string {
	return plan.Cell{Target: plan.Target{Name: c.Target}, Shape: c.Shape}.Title()
}

// A Run is one point of a cell's history.
type Run struct {
	Dir     string    `json:"dir"`
	Started time.Time `json:"started"`
	Repeats int       `json:"repeats"`
}

// A Metric is one number of a cell, run after run.
type Metric struct {
	Name string `json:"name"` // p50, p99, p99.9, max, loss or reached
	// Values has one for each of the cell's runs: nanoseconds, of all repeats of the run
	// together; loss and reached are parts of 1. Null: left out, because it is unknown or
	// unreliable, or a repeat is INVALID.
	Values  []*float64 `json:"values"`
	Answer  Answer     `json:"answer"`
	Changes []Change   `json:"changes,omitempty"` // the oldest first
}

// An Answer says whether a series changed.
type Answer string

// The answers.
const (
	Changed  Answer = "change shown"
	NoChange Answer = "no change shown" // which does not mean: the same
	TooFew   Answer = "too few runs"
)

// A Change is a point from which on a series is different.
type Change struct {
	Run     int       `json:"run"` // the first one after it: an index of Cell.Runs
	Dir     string    `json:"dir"` // that run's folder
	Started time.Time `json:"started"`
	// The medians of the values between this change and its neighbours.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// The numbers of these values.
	RunsBefore int  `json:"runs_before"`
	RunsAfter  int  `json:"runs_after"`
	Worse      bool `json:"worse"` // higher response times or loss, or less reached
	// P is the p-value: how often a series without a change looks as changed.
	P float64 `json:"p"`
	// Alarm is true for a change for the worse that is new, and shown when all series are
	// judged together: without any change, 5 of 100 histories have an alarm.
	Alarm bool `json:"alarm"`
	// Differs lists the differences in versions, settings and environment between the last
	// run before it and the first after it.
	Differs []compare.Difference `json:"differs,omitempty"`
}

// New finds the changes in runs, which are sorted by time, the oldest first. It fails if
// no cell was measured, or if no change can be as new as o asks for.
func New(runs []*compare.Set, o Options) (*History, error) {
	if o.Newest == 0 {
		o.Newest = DefaultNewest
	}
	if o.Newest < Least {
		return nil, fmt.Errorf("a change needs at least %d runs after it to be shown, so it cannot be in the newest %d", Least, o.Newest)
	}
	h := &History{Schema: Schema, Runs: len(runs), Newest: o.Newest, LeastP: 1 - Confidence}
	found := lines(runs)
	for _, line := range found {
		cell, out := line.cell()
		h.LeftOut = append(h.LeftOut, out...)
		for i := range cell.Metrics {
			m := &cell.Metrics[i]
			if m.find(cell.Runs, newChance(len(found)*len(cell.Metrics))); m.Answer != TooFew {
				h.Judged++
			}
			for j := range m.Changes {
				m.Changes[j].Differs = line.differs(m.Changes[j].Run, o.Decisive)
			}
		}
		h.Cells = append(h.Cells, cell)
	}
	if len(h.Cells) == 0 {
		return nil, errors.New("no cell was measured in these runs")
	}
	h.alarm()
	return h, nil
}

func (m *Metric) find(runs []Run, draw chance) {
	var values []float64
	var at []int // where in runs
	for i, v := range m.Values {
		if v != nil {
			values, at = append(values, *v), append(at, i)
		}
	}
	if len(values) < Needed {
		m.Answer = TooFew
		return
	}
	m.Answer = NoChange
	found := changes(values, draw)
	for i, c := range found {
		from, to := 0, len(values)
		if i > 0 {
			from = found[i-1].at
		}
		if i+1 < len(found) {
			to = found[i+1].at
		}
		run := at[c.at]
		change := Change{
			Run: run, Dir: runs[run].Dir, Started: runs[run].Started, P: c.p,
			Before: stats.Median(values[from:c.at]), After: stats.Median(values[c.at:to]), RunsBefore: c.at - from, RunsAfter: to - c.at,
		}
		change.Worse = (change.After > change.Before) != (m.Name == reached)
		m.Changes, m.Answer = append(m.Changes, change), Changed
	}
}
