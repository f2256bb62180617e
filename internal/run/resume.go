package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Resume continues a run whose process died before the end of its plan: it reads the cells that
// were measured, and measures the others as Run does. p is the run's plan
// with the passwords that run does not hold, and Store its folder.
func (r Runner) Resume(ctx context.Context, run results.Run, p plan.Plan) (results.Run, []*results.Cell, []*results.Summary, error) {
	todo := p.Cells()
	if len(todo) != len(run.Cells) {
		return run, nil, nil, fmt.Errorf("run %s has %d cells, and its plan %d: it was not made from a plan", run.ID, len(run.Cells), len(todo))
	}
	// An earlier version may have begun it, in another order.
	place := make(map[string]int, len(run.Cells))
	for i, e := range run.Cells {
		place[e.ID] = i
	}
	slices.SortStableFunc(todo, func(a, b plan.Cell) int { return cmp.Compare(place[a.ID()], place[b.ID()]) })
	r.repeats = newRepeats(p)
	s := &Session{runner: r, run: run, of: len(todo), targets: p.Targets}
	for i, cell := range todo {
		done, err := s.restore(i, cell)
		if err != nil {
			return run, nil, nil, err
		}
		if done {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if _, err := s.measure(ctx, i, cell, nil); errors.Is(err, ErrUnfinished) { // End returns the others
			break
		}
	}
	return s.finish(ctx, p)
}

// restore reads the cell of entry i, if it was measured. Otherwise its files are
// removed: they are no result.
func (s *Session) restore(i int, cell plan.Cell) (done bool, err error) {
	store := s.runner.Store
	folder := store.Cell(cell.ID())
	c, err := folder.Read()
	switch {
	case errors.Is(err, results.ErrNotMeasured):
		s.run.Cells[i].Error = ""
		return false, store.DiscardCell(cell.ID())
	case err != nil:
		return false, err
	}
	s.run.Cells[i].Verdict = c.Verdict
	units := sections.Of(c)
	s.cells = append(s.cells, units...)
	if s.runner.repeats == nil {
		return true, nil
	}
	for i, planned := range plan.Units([]plan.Cell{cell}) {
		if i >= len(units) {
			break
		}
		h, err := responsesOf(folder, units[i])
		if err != nil {
			return true, err
		}
		s.runner.repeats.add(planned, h)
	}
	return true, nil
}

// responsesOf reads the response times of a cell that was measured.
func responsesOf(folder *results.CellFolder, c *results.Cell) (h *histogram.Histogram, err error) {
	h = histogram.New()
	file, err := folder.OpenIntervals()
	if err != nil {
		return h, err
	}
	defer func() { _ = file.Close() }() // it was only read
	log, tag := histogram.NewLogReader(file), c.Tag(record.Tags[record.Response])
	if n := c.Plan.Shape.Section; n > 0 {
		tag = record.SectionTag(tag, n)
	}
	for {
		e, err := log.Next()
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return h, err
		case err != nil:
			return h, h.SetExtremes(time.Duration(c.Response.MinNS), time.Duration(c.Response.MaxNS), c.Response.Clamped)
		case e.Tag != tag:
			continue
		}
		if err := h.Merge(e.Histogram); err != nil {
			return h, err
		}
	}
}
