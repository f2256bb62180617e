package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Session is a run under way. Cells are measured one after the other, and each
// is in run.json as soon as it is over; the caller may decide on the next one
// then. It is used by one goroutine. [Runner.Start] makes one.
type Session struct {
	runner Runner
	run    results.Run
	cells  []*results.Cell
	errs   []error // of cells that could not be measured
	saved  error   // of writing run.json the last time
	of     int     // how many cells there will be; 0: not known

	targets []plan.Target
	dead    map[plan.Target]error // the targets that could not be reached
}

// ErrUnfinished is the error of a cell after which no other is measured: the run is not over, and
// [Runner.Resume] goes on with it.
var ErrUnfinished = errors.New("the run is not over")

// Start begins a run whose cells are not known yet. p holds what they have in
// common; its shapes, at least one, are those that come first.
func (r Runner) Start(p plan.Plan) (*Session, error) {
	p.Repeat = 1
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.Shapes = slices.Clip(p.Shapes)
	return r.session(p, nil), nil
}

// session begins a run of cells that are known.
func (r Runner) session(p plan.Plan, todo []plan.Cell) *Session {
	s := &Session{runner: r, run: r.newRun(p, todo), of: len(todo), targets: p.Targets}
	s.save()
	return s
}

// Measure measures a cell, after its floor if its settings ask for one, and adds
// it to the run. It numbers the cell's repeat: 1 when it is measured for the first
// time. A cell that could not be measured is in the run with its error; when ctx
// ends, the cell is kept as far as it got.
func (s *Session) Measure(ctx context.Context, cell plan.Cell) (*results.Cell, error) {
	for cell.Repeat = 1; slices.ContainsFunc(s.run.Cells, func(e results.Entry) bool { return e.ID == cell.ID() }); {
		cell.Repeat++
	}
	s.run.Cells = append(s.run.Cells, results.Entry{ID: cell.ID()})
	if !slices.Contains(s.run.Plan.Shapes, cell.Shape) {
		s.run.Plan.Shapes = append(s.run.Plan.Shapes, cell.Shape)
	}
	i := len(s.run.Cells) - 1
	if err := s.skip(i, cell); err != nil {
		return nil, err
	}
	floor, err := s.runner.floor(ctx, cell)
	if err != nil {
		return nil, s.fail(ctx, i, err)
	}
	return s.measure(ctx, i, cell, floor)
}

// Count is [Session.Measure], and counts what breaks the cell's objectives second by
// second: the result only has the sums.
func (s *Session) Count(ctx context.Context, cell plan.Cell) (*results.Cell, *judge.SLOCounts, error) {
	counts := judge.NewSLOCounts(cell)
	s.runner.counts = counts
	defer func() { s.runner.counts = nil }()
	c, err := s.Measure(ctx, cell)
	return c, counts, err
}

// measure measures the cell of the run's entry i.
func (s *Session) measure(ctx context.Context, i int, cell plan.Cell, floor *results.Floor) (*results.Cell, error) {
	s.run.Cells[i].Began = machine.Moment()
	c, err := s.runner.cell(ctx, s.run.ID, cell, floor, i, s.of)
	if c != nil {
		s.cells = append(s.cells, sections.Of(c)...)
		s.run.Cells[i].Verdict = c.Verdict
	}
	if err != nil {
		if c != nil { // one of its files could not be written, and that is no interruption
			ctx = context.WithoutCancel(ctx)
		}
		return c, s.fail(ctx, i, err)
	}
	s.save()
	return c, nil
}

// fail stores why entry i was not measured, unless ctx ended, and returns err.
func (s *Session) fail(ctx context.Context, i int, err error) error {
	if ctx.Err() == nil || errors.Is(err, ErrUnfinished) {
		s.note(i, err)
		s.errs = append(s.errs, err)
	}
	s.save()
	return err
}

// note stores an error in entry i.
func (s *Session) note(i int, err error) {
	e := &s.run.Cells[i]
	e.Error = s.runner.redact(err.Error())
	var refused interface {
		error
		Refused() string
	}
	if errors.As(err, &refused) {
		e.Refused = refused.Refused()
	}
}

func (s *Session) save() {
	if s.runner.Store != nil {
		s.saved = s.runner.Store.SaveRun(s.run)
	}
}

// kept calls what writes the last of the run, also if ctx has ended.
func (s *Session) kept(ctx context.Context, write func() error) error {
	if s.runner.Store == nil {
		return nil
	}
	return s.runner.room(context.WithoutCancel(ctx), s.runner.Store.Dir(), write)
}

// End ends the run. It returns what was measured, and the errors of cells and of
// writing.
func (s *Session) End(ctx context.Context) (results.Run, []*results.Cell, error) {
	s.run.Interrupted = ctx.Err() != nil
	if !slices.ContainsFunc(s.errs, func(err error) bool { return errors.Is(err, ErrUnfinished) }) {
		s.run.Finished = time.Now()
	}
	s.saved = s.kept(ctx, func() error { return s.runner.Store.SaveRun(s.run) })
	if s.saved != nil {
		s.saved = fmt.Errorf("%w: it has no end time, and not what became of every cell", s.saved)
	}
	return s.run, s.cells, errors.Join(append(s.errs, s.saved)...)
}

// finish sums up the repeats of a plan and ends the run.
func (s *Session) finish(ctx context.Context, p plan.Plan) (results.Run, []*results.Cell, []*results.Summary, error) {
	summaries, err := s.runner.repeats.summarize(p, s.cells, func(sum *results.Summary, merged *histogram.Histogram) error {
		return s.kept(ctx, func() error { return s.runner.Store.SaveSummary(sum, merged) })
	})
	if err != nil {
		s.errs = append(s.errs, err)
	}
	run, cells, err := s.End(ctx)
	return run, cells, summaries, err
}
