package run

import (
	"cmp"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// repeats adds up the response histograms of cells that are repeats of each
// other, after each cell, so that no file is read again. It keeps the sums until
// the end of the run: at most 270 kB for each target × shape. It is nil for a plan
// that does not repeat.
type repeats struct {
	merged map[string]*histogram.Histogram // by plan.Cell.SharedID
	err    error                           // the first error of merging
}

func newRepeats(p plan.Plan) *repeats {
	if p.Repeat < 2 {
		return nil
	}
	return &repeats{merged: make(map[string]*histogram.Histogram)}
}

// keep returns the function that adds the histograms of a cell, or of a section.
func (r *repeats) keep() func(plan.Cell, measure.Raw) {
	if r == nil {
		return nil
	}
	return func(cell plan.Cell, raw measure.Raw) {
		sizes := cell.Shape.BySize()
		for i, shape := range sizes {
			series := record.Response
			if len(sizes) > 1 {
				series = record.OfSize(series, i)
			}
			cell.Shape = shape
			r.add(cell, raw.Totals[series])
		}
	}
}

// add adds the response times of a cell.
func (r *repeats) add(cell plan.Cell, h *histogram.Histogram) {
	id := cell.SharedID()
	if r.merged[id] == nil {
		r.merged[id] = histogram.New()
	}
	r.err = cmp.Or(r.err, r.merged[id].Merge(h))
}

// summarize sums up the cells that were measured, in the order of the plan, and
// calls save with each summary. It returns the first error.
func (r *repeats) summarize(p plan.Plan, done []*results.Cell, save func(*results.Summary, *histogram.Histogram) error) (list []*results.Summary, err error) {
	if r == nil {
		return nil, nil
	}
	groups := make(map[string][]*results.Cell)
	for _, c := range done {
		id := c.Plan.SharedID()
		groups[id] = append(groups[id], c)
	}
	p.Repeat = 1
	err = r.err
	for _, cell := range plan.Units(p.Cells()) {
		cells, merged := groups[cell.SharedID()], r.merged[cell.SharedID()]
		if len(cells) == 0 {
			continue
		}
		s := results.NewSummary(cells, merged)
		s.SLOs = judge.PooledSLOs(cells)
		list = append(list, s)
		err = cmp.Or(err, save(s, merged))
	}
	return list, err
}
