package history

import (
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/numbers"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results/compare"
)

// Schema is that of a History in JSON.
const Schema = "brokerbench/history/1"

// Confidence is how likely a series without a change shows none.
const Confidence = 0.95

// DefaultNewest is how many of the newest runs a change may have to be a new one.
const DefaultNewest = 10

// Options say what to look for. Their zero value is the default.
type Options struct {
	Newest int // a change is new if so many runs or fewer follow it; 0 is DefaultNewest
}

// A History is what became of the results of several runs.
type History struct {
	Schema  string  `json:"schema"` // Schema
	Runs    int     `json:"runs"`
	Newest  int     `json:"newest"`  // a change is new if so many runs or fewer follow it
	Judged  int     `json:"judged"`  // how many series had enough runs
	LeastP  float64 `json:"least_p"` // what p a series needs to show a change
	Cells   []Cell  `json:"cells"`
	LeftOut []Out   `json:"left_out,omitempty"` // what is not in any series
}

// An Out is a run, or a cell of it, that is not in the history.
type Out struct {
	Run    string `json:"run"` // its folder
	Reason string `json:"reason"`
}

// A Cell is what was measured again and again: a target and a shape, with a window.
type Cell struct {
	ID         string     `json:"id"` // without the number of a repeat
	Target     string     `json:"target"`
	Product    string     `json:"product"`
	Shape      plan.Shape `json:"shape"`
	DurationNS int64      `json:"duration_ns"` // of the window
	Runs       []Run      `json:"runs"`        // that measured it, the oldest first
	Metrics    []Metric   `json:"metrics"`
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
	// Values has one for each of the cell's runs: nanoseconds, the geometric mean of the
	// run's repeats; of loss and reached a part of 1. Null: left out, because it is
	// unknown or cannot be relied on in a repeat.
	Values  []*float64 `json:"values"`
	Answer  Answer     `json:"answer"`
	Changes []Change   `json:"changes,omitempty"` // the oldest first
}

// An Answer says whether a series changed.
type Answer string

// The answers.
const (
	Changed  Answer = "change shown"
	NoChange Answer = "no change shown" // which is not: the same
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
	// How many values these are of.
	RunsBefore int  `json:"runs_before"`
	RunsAfter  int  `json:"runs_after"`
	Worse      bool `json:"worse"` // higher response times or loss, or less reached
	// P is how often a series without a change looks as changed as this one.
	P float64 `json:"p"`
	// Alarm is true of a change for the worse that is new, and is shown when all series
	// are judged together: if nothing changed, any of them has one in 5 of 100 histories.
	Alarm bool `json:"alarm"`
	// Differs lists what else is different in the first run after it, compared with the
	// last before: versions, settings and environment.
	Differs []compare.Difference `json:"differs,omitempty"`
}

// New finds the changes in runs, the oldest first. The error says that there is no
// cell, or that no change can be as new as o wants.
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
				m.Changes[j].Differs = line.differs(m.Changes[j].Run)
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

// find looks for changes in a series.
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
			Before: numbers.Median(values[from:c.at]), After: numbers.Median(values[c.at:to]), RunsBefore: c.at - from, RunsAfter: to - c.at,
		}
		change.Worse = (change.After > change.Before) != (m.Name == reached)
		m.Changes, m.Answer = append(m.Changes, change), Changed
	}
}
