package compare

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	grouping "github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A Set is the part of a result set that a comparison needs.
type Set struct {
	Dir    string // as the user named it
	Run    results.Run
	Trials []Trial // the cells that were measured, in their order
	parts  []*Set  // the sets that it joins
}

// A Trial is one cell, measured once.
type Trial struct {
	Dir  string // of its run, as the user named it
	Cell *results.Cell
	// Began orders it among the cells of all runs on that machine; zero: not known.
	Began results.Moment
	// Series has the response times of each interval. Only cells without repeats need it; it
	// is nil if the log is missing or incomplete.
	Series *confidence.Series

	folder string // of the cell
}

// At returns the row of a percentile of the response.
func (t Trial) At(percentile float64) results.Percentile {
	row, _ := t.Cell.Response.At(percentile)
	return row
}

// Pooled returns the response times of all trials together.
func Pooled(trials []Trial) results.Distribution {
	var responses []results.Distribution
	for _, t := range trials {
		responses = append(responses, t.Cell.Response)
	}
	return results.Pooled(responses)
}

// Target returns the name of the target.
func (t Trial) Target() string { return t.Cell.Plan.Target.Name }

// Shape returns the shape of the cell. Arrivals that the plan leaves out are constant.
func (t Trial) Shape() plan.Shape {
	shape := t.Cell.Plan.Shape
	shape.Arrivals = cmp.Or(shape.Arrivals, schedule.Constant)
	return shape
}

// Repeat names the repeat, such as "repeat 2".
func (t Trial) Repeat() string { return fmt.Sprintf("repeat %d", max(t.Cell.Plan.Repeat, 1)) }

// OpenCells reads a result set without its logs.
func OpenCells(dir string) (*Set, error) {
	store, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	set := &Set{Dir: dir}
	if set.Run, err = store.Run(); err != nil {
		return nil, err
	}
	for _, entry := range set.Run.Cells {
		if entry.Verdict == "" {
			continue // not measured
		}
		cell, err := store.Cell(entry.ID).Read()
		if err != nil {
			return nil, err
		}
		for _, one := range sections.Of(cell) {
			set.Trials = append(set.Trials, Trial{Dir: dir, Cell: one, Began: entry.Began, folder: store.Cell(entry.ID).Dir()})
		}
	}
	return set, nil
}

// Open reads a result set. It reads the logs only of cells that were not repeated.
func Open(dir string) (*Set, error) {
	set, err := OpenCells(dir)
	if err != nil {
		return nil, err
	}
	repeats := make(map[string]int)
	for _, t := range set.Trials {
		repeats[t.Cell.Plan.SharedID()]++
	}
	for i, t := range set.Trials {
		if repeats[t.Cell.Plan.SharedID()] > 1 {
			continue
		}
		if set.Trials[i].Series, err = t.readLog(); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// period is the length of the log's intervals.
const period = time.Second

// readLog reads the intervals of the response times. The log leaves out intervals
// without a reply; readLog adds them, since a second without replies counts. It returns
// nil if the log is missing, or lacks some of the cell's values.
func (t Trial) readLog() (*confidence.Series, error) {
	cell := t.Cell
	series, silence, count := new(confidence.Series), histogram.New(), int64(0)
	next, end := cell.Plan.Settings.Warmup, time.Duration(cell.ElapsedNS)
	silent := func(until time.Duration) {
		for ; next+period/2 < min(until, end); next += period {
			series.Add(silence)
		}
	}
	_, err := source.In(t.folder, "", cell).Intervals(func(e histogram.Entry) error {
		if e.Tag == source.Response {
			silent(e.Start)
			series.Add(e.Histogram)
			count += e.Histogram.Count()
			next = e.Start + e.Length
		}
		return nil
	})
	silent(end)
	if errors.Is(err, fs.ErrNotExist) || err == nil && count != cell.Response.Count {
		return nil, nil //nolint:nilnil // a missing log is a fact about the cell
	}
	return series, err
}

// Targets returns the names of the targets that were measured, each once.
func (s *Set) Targets() (names []string) {
	for _, t := range s.Trials {
		names = append(names, t.Target())
	}
	return grouping.Unique(names)
}

// Only returns the cells of one target.
func (s *Set) Only(target string) (*Set, error) {
	part := &Set{Dir: s.Dir + "@" + target, Run: s.Run}
	part.Trials = slices.DeleteFunc(slices.Clone(s.Trials), func(t Trial) bool { return t.Target() != target })
	if len(part.Trials) == 0 {
		return nil, fmt.Errorf("%s has no target %q, only %q", s.Dir, target, s.Targets())
	}
	return part, nil
}

// Join returns several result sets as one side of a comparison: their cells of the
// same target and shape are repeats of each other. Runs of one plan at different
// hours show how hours differ, which repeats in a row do not. If the sets differ in a
// decisive option, and so are not repeats of each other, the error names it.
func Join(decisive []Decisive, sets ...*Set) (*Set, error) {
	if len(sets) == 0 {
		return nil, errors.New("no result sets to join")
	}
	if len(sets) == 1 {
		return sets[0], nil
	}
	joined := &Set{Run: sets[0].Run, parts: sets}
	var dirs []string
	for _, s := range sets {
		if slices.Contains(dirs, s.Dir) {
			return nil, fmt.Errorf("%s is named twice on one side: it would count as a repeat of itself", s.Dir)
		}
		dirs = append(dirs, s.Dir)
		joined.Trials = append(joined.Trials, s.Trials...)
		if list := unequal(shared(sets[0], s), decisive); len(list) > 0 {
			return nil, fmt.Errorf("%s and %s are not repeats of each other: %v", sets[0].Dir, s.Dir, list[0])
		}
	}
	joined.Dir = strings.Join(dirs, ",")
	return joined, nil
}

// shared pairs the groups that two sets have in common.
func shared(a, b *Set) (couples []couple) {
	for _, left := range groups("", a) {
		for _, right := range groups("", b) {
			if left.kind == right.kind {
				couples = append(couples, couple{base: left, next: right})
			}
		}
	}
	return couples
}

// within lists the differences between the sets of one side.
func (s *Set) within(side string, decisive []Decisive) (list differenceList) {
	for i, part := range s.parts {
		for _, d := range differences(s.parts[0], part, shared(s.parts[0], part), decisive) {
			list.add(fmt.Sprintf("%s 1 → %s %d, %s", side, side, i+1, d.Where), d.Name, d.Base, d.New)
		}
	}
	return list
}
