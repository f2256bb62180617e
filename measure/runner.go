package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// ErrTaken is the error of a coordinator that another one has taken the run from: its folder
// is that one's from then on.
var ErrTaken = errors.New("another coordinator has gone on with this run")

// A Runner measures the cells of a plan, one after the other.
type Runner struct {
	// Open returns a factory for a target; run is unique to the cell. Required.
	Open    func(t plan.Target, run string) (requester.Factory, error)
	Store   *results.Store           // where to write; nil: nowhere
	Command []string                 // the command line to store, without secrets
	Shared  func(t plan.Target) bool // whether a target is on this machine; may be nil
	Redact  func(text string) string // removes secrets; may be nil
	// Progress, ProgressEvery and Auditing are those of Options.
	Progress      func(Progress)
	ProgressEvery time.Duration
	Auditing      func(Auditing)
	// Floor measures what a cell costs without a broker. It is called before each cell,
	// if the plan asks for it; see [Floor]. May be nil.
	Floor   func(ctx context.Context, cell plan.Cell) (*results.Floor, error)
	Systems Systems // those behind the targets; nil: all of them run, and their nodes are not known
	// Observer returns who observes process and machine during a cell. May be nil.
	Observer func() Observer
	// Breaker returns who breaks what the faults of a cell say; nil if nobody can. It is asked
	// only of cells that have faults. May be nil.
	Breaker func(cell plan.Cell) (Breaker, error)
	// Echo returns who sends the messages of a cell back; run is that of Open. It is asked only of
	// cells that have an echo. Nil if nobody can.
	Echo   func(cell plan.Cell, run string) (Echo, error)
	Begin  func(cell plan.Cell, n, of int)                  // called before cell n (from 1) of so many; may be nil
	Finish func(cell plan.Cell, c *results.Cell, err error) // called after it; c may be nil; may be nil
	GiveUp <-chan struct{}                                  // see Options; the context must end before
	// Unreached is called before the first cell with a target that cannot be reached, and
	// why: none of its cells is measured. If no target can be reached it is not called: the
	// run ends at once. May be nil.
	Unreached func(t plan.Target, err error)
	// Left is called with what a cell may have left on its target; may be nil.
	Left func(cell plan.Cell, names []string)
	// Explain adds to the error of a cell that was not measured; may be nil.
	Explain func(cell plan.Cell, err error) error

	// ID is the run's; "" makes one.
	ID string
	// Agents measures a cell on agents, in place of this process: see [Together]. The files
	// of each agent are in a folder of its own in folder; with is to be told of each attempt. A
	// runner with agents has a Store, and Floor and Observer are not used. An error that is
	// [ErrTaken] ends the run, and nothing more is written. May be nil.
	Agents func(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder, with *Attendant) (parts []Part, start time.Time, err error)

	repeats   *repeats       // of the run under way
	watch     *Watch         // of the cell under way; may be nil
	newWaiter load.NewWaiter // for tests in virtual time
}

// Run measures every cell. It returns the run, the cells that were measured, and
// if the plan repeats, a summary of each target × shape in the plan's order.
// When a target fails, the others are measured all the same: what failed is in
// the run's entries and in the error, which joins them all. A run that another process has gone
// on with is returned as nothing, with [ErrTaken]. Targets that are down are
// found before the first cell: see [Session.Reach]. When ctx ends, the
// cell under way is kept as far as it got, and the rest is not measured.
func (r Runner) Run(ctx context.Context, p plan.Plan) (results.Run, []*results.Cell, []*results.Summary, error) {
	if err := p.Validate(); err != nil {
		return results.Run{}, nil, nil, err
	}
	todo := p.Cells()
	r.repeats = newRepeats(p)
	s := r.session(p, todo)
	if len(p.Targets) > 1 || p.Settings.Floor { // something would be measured before
		s.Reach(ctx)
	}
	for i, cell := range todo {
		if s.skip(i, cell) != nil {
			continue
		}
		floor, err := r.floor(ctx, cell)
		if ctx.Err() != nil {
			break
		}
		if err != nil { // what keeps one floor from being measured keeps all
			s.errs, r.Floor = append(s.errs, err), nil
		}
		if _, _ = s.measure(ctx, i, cell, floor); s.taken { // End returns the errors
			return s.give()
		}
	}
	summaries, err := r.repeats.summarize(p, s.cells, r.Store)
	if err != nil {
		s.errs = append(s.errs, err)
	}
	run, done, err := s.End(ctx)
	return run, done, summaries, err
}

// floor measures the floor of a cell; nil if the cell does not ask for one.
func (r Runner) floor(ctx context.Context, cell plan.Cell) (*results.Floor, error) {
	if r.Floor == nil || r.Agents != nil || !cell.Settings.Floor {
		return nil, nil
	}
	floor, err := r.Floor(ctx, cell)
	if err != nil {
		return nil, fmt.Errorf("%w (leave it out with --floor=off)", err)
	}
	return floor, nil
}

// NewID returns the name of a run that begins now, which no other has.
func NewID(now time.Time) string {
	return fmt.Sprintf("%s-%08x", now.UTC().Format("20060102t150405"), rand.Uint32()) //nolint:gosec // not a secret
}

// newRun describes a run before its first cell.
func (r Runner) newRun(p plan.Plan, todo []plan.Cell) results.Run {
	now := time.Now()
	run := results.Run{
		Schema: results.RunSchema,
		ID:     cmp.Or(r.ID, NewID(now)), Name: p.Name, Started: now, Command: r.Command, Environment: Environment(), Plan: p,
	}
	run.Plan.Targets, run.Plan.Settings = slices.Clone(p.Targets), p.Settings.Redacted(r.redact)
	for i, t := range p.Targets {
		run.Plan.Targets[i] = t.Redacted(r.redact)
	}
	for _, cell := range todo {
		run.Cells = append(run.Cells, results.Entry{ID: cell.ID()})
	}
	return run
}

// start makes the system of a target ready.
func (r Runner) start(ctx context.Context, t plan.Target) (Nodes, error) {
	if r.Systems == nil {
		return nil, nil
	}
	return r.Systems.Start(ctx, t)
}

func (r Runner) redact(text string) string {
	if r.Redact == nil {
		return text
	}
	return r.Redact(text)
}

// cell measures one cell.
func (r Runner) cell(ctx context.Context, run string, cell plan.Cell, floor *results.Floor, i, of int) (c *results.Cell, err error) {
	if r.Begin != nil {
		r.Begin(cell, i+1, of)
	}
	if r.Finish != nil {
		defer func() { r.Finish(cell, c, err) }()
	}
	if r.Agents != nil {
		return r.together(ctx, cell)
	}
	nodes, err := r.start(ctx, cell.Target)
	if err != nil {
		return nil, err
	}
	run = fmt.Sprintf("%s-%d", run, i)
	f, err := r.Open(cell.Target, run)
	if err != nil {
		return nil, err
	}
	o := Options{
		ID: cell.ID(), Progress: r.Progress, ProgressEvery: r.ProgressEvery, Auditing: r.Auditing, Redact: r.Redact, Floor: floor,
		Shared: r.Shared != nil && r.Shared(cell.Target), GiveUp: r.GiveUp, Nodes: nodes, keep: r.repeats.keep(cell),
		newWaiter: r.newWaiter, watch: r.watch,
	}
	if r.Observer != nil {
		o.Observer = r.Observer()
	}
	if r.Breaker != nil && len(cell.Settings.Faults) > 0 {
		if o.Breaker, err = r.Breaker(cell); err != nil {
			return nil, err
		}
	}
	if o.Echo, err = r.echo(cell, run); err != nil {
		return nil, err
	}
	if r.Left != nil {
		o.Left = func(names []string) { r.Left(cell, names) }
	}
	if r.Store != nil {
		if o.Folder, err = r.Store.CreateCell(o.ID); err != nil {
			return nil, err
		}
	}
	c, err = Cell(ctx, f, cell, o)
	if c == nil && r.Explain != nil {
		err = r.Explain(cell, err)
	}
	return c, err
}

// echo returns who sends the messages of a cell back; nil if nobody is to.
func (r Runner) echo(cell plan.Cell, run string) (Echo, error) {
	if cell.Settings.Echo == "" || r.Echo == nil {
		return nil, nil
	}
	return r.Echo(cell, run)
}

// together measures one cell on agents.
func (r Runner) together(ctx context.Context, cell plan.Cell) (*results.Cell, error) {
	nodes, err := r.start(ctx, cell.Target)
	if err != nil {
		return nil, err
	}
	folder, err := r.Store.CreateCell(cell.ID())
	if err != nil {
		return nil, err
	}
	with := r.attendant(cell, folder, nodes)
	parts, start, err := r.Agents(ctx, cell, cell.ID(), folder, with)
	if err != nil {
		return nil, err
	}
	o := Options{ID: cell.ID(), Folder: folder, Redact: r.redact, keep: r.repeats.keep(cell), watch: r.watch, attendant: with}
	c, err := Together(cell, start, parts, o)
	if c != nil && len(c.Left) > 0 && r.Left != nil {
		r.Left(cell, c.Left)
	}
	return c, err
}
