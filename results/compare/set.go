package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A Set is a result set, as far as a comparison needs it.
type Set struct {
	Dir    string // as the user named it
	Run    results.Run
	Trials []Trial // the cells that were measured, in their order
	parts  []*Set  // what it was joined from
}

// A Trial is one cell, measured once.
type Trial struct {
	Dir  string // of its run, as the user named it
	Cell *results.Cell
	// Series has the intervals of the response times. Only cells without another
	// repeat need it; it is nil if the log is missing or incomplete.
	Series *confidence.Series
}

// Open reads a result set. It reads the logs only of cells that were not repeated.
func Open(dir string) (*Set, error) {
	store, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	run, err := store.Run()
	if err != nil {
		return nil, err
	}
	set := &Set{Dir: dir, Run: run}
	for _, entry := range run.Cells {
		if entry.Verdict == "" {
			continue // not measured
		}
		cell, err := store.Cell(entry.ID).Read()
		if err != nil {
			return nil, err
		}
		set.Trials = append(set.Trials, Trial{Dir: dir, Cell: cell})
	}
	return set, set.readLogs(store)
}

// readLogs reads the logs of the cells that were measured once.
func (s *Set) readLogs(store *results.Store) error {
	runs := make(map[string]int)
	for _, t := range s.Trials {
		runs[t.Cell.Plan.SharedID()]++
	}
	for i, t := range s.Trials {
		if runs[t.Cell.Plan.SharedID()] > 1 {
			continue
		}
		series, err := readLog(store.Cell(t.Cell.ID), t.Cell)
		if err != nil {
			return err
		}
		s.Trials[i].Series = series
	}
	return nil
}

// period is the length of the log's intervals.
const period = time.Second

// readLog reads the intervals of the response times. The log leaves out intervals
// without a reply; they are added here, since a second of silence counts. It returns
// nil if there is no log, or if it does not hold all of the cell's values.
func readLog(folder *results.CellFolder, cell *results.Cell) (*confidence.Series, error) {
	series, silence, count := new(confidence.Series), histogram.New(), int64(0)
	next, end := cell.Plan.Settings.Warmup, time.Duration(cell.ElapsedNS)
	silent := func(until time.Duration) {
		for ; next+period/2 < min(until, end); next += period {
			series.Add(silence)
		}
	}
	_, err := source.Source{Path: folder.Dir(), Cell: cell}.Intervals(func(e histogram.Entry) error {
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
		return nil, nil //nolint:nilnil // a log that is not there is a fact about the cell
	}
	return series, err
}

// Targets returns the names of the targets that were measured, each once.
func (s *Set) Targets() (names []string) {
	for _, t := range s.Trials {
		if name := t.Cell.Plan.Target.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Only returns the cells of one target.
func (s *Set) Only(target string) (*Set, error) {
	part := &Set{Dir: s.Dir + "@" + target, Run: s.Run}
	for _, t := range s.Trials {
		if t.Cell.Plan.Target.Name == target {
			part.Trials = append(part.Trials, t)
		}
	}
	if len(part.Trials) == 0 {
		return nil, fmt.Errorf("%s has no target %q, only %q", s.Dir, target, s.Targets())
	}
	return part, nil
}
