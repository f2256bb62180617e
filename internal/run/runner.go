// Package run executes a plan: it measures cells one after the other, in this process or on
// agents, has them judged, and stores their results.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/causes"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Systems start the systems behind the targets of a run.
type Systems interface {
	// Starts reports whether a target only runs once it was started.
	Starts(t plan.Target) bool
	// Start is called before each cell. It makes the target ready, and returns its nodes; nil
	// if they are not known.
	Start(ctx context.Context, t plan.Target) (measure.Nodes, error)
}

// A Runner measures the cells of a plan, one after the other.
type Runner struct {
	// Open returns a factory for a target; run is unique to the cell. Required.
	Open    func(t plan.Target, run string) (requester.Factory, error)
	Store   *results.Store           // where to write; nil: nowhere
	Command []string                 // the command line to store, without secrets
	Shared  func(t plan.Target) bool // whether a target is on this machine; may be nil
	Redact  func(text string) string // removes secrets; may be nil
	// Progress, ProgressEvery, Filling and Auditing are those of [measure.Options].
	Progress      func(measure.Progress)
	ProgressEvery time.Duration
	Filling       func(measure.Filling)
	Auditing      func(measure.Auditing)
	// Floor measures what a cell costs without a broker. It is called before each cell,
	// if the plan asks for it; see [Floor]. May be nil.
	Floor   func(ctx context.Context, cell plan.Cell) (*results.Floor, error)
	Systems Systems // behind the targets; nil: all of them run, and their nodes are not known
	// Observer returns what samples process and machine during a cell. May be nil.
	Observer func() measure.Observer
	// Causes returns the sampler of the causes of slow messages in a cell; nodes may be nil. May be nil.
	Causes func(nodes measure.Nodes) measure.Causes
	// Faults returns the driver of a cell that has faults, also of one that agents measure. Nil
	// without the wing of faults.
	Faults func(cell plan.Cell) (FaultDriver, error)
	// Echo returns what sends the messages of a cell with an echo back; run is that of Open. May be nil.
	Echo   func(cell plan.Cell, run string) (measure.Echo, error)
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
	// Agents measures a cell on agents, in place of this process. The files of each agent are in
	// its own folder in folder; d is called for each attempt. A runner with agents has a Store, and
	// does not use Floor and Observer. May be nil.
	Agents func(ctx context.Context, cell plan.Cell, folder *results.CellFolder, d *CellDriver) (*results.Cell, error)

	// Room calls what writes below a folder, and may call it again until the disk has room or ctx
	// ends; nil: once.
	Room func(ctx context.Context, dir string, write func() error) error

	repeats   *repeats         // of the run under way
	counts    *judge.SLOCounts // of the cell under way; may be nil
	NewWaiter load.NewWaiter   // see measure.Options
}

// Run measures every cell. It returns the run, the cells that were measured, and
// if the plan repeats, a summary of each target × shape in the plan's order.
// When a target fails, the others are still measured: its error is in
// the run's entries and in the returned error, which joins them all. Targets that are down are
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
		if err != nil { // a reason against one floor holds for all
			s.errs, r.Floor = append(s.errs, err), nil
		}
		if _, err := s.measure(ctx, i, cell, floor); errors.Is(err, ErrUnfinished) { // End returns the others
			break
		}
	}
	return s.finish(ctx, p)
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
		ID:     cmp.Or(r.ID, NewID(now)), Name: p.Name, Started: now, Command: r.Command, Environment: machine.Environment(), Plan: p,
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
func (r Runner) start(ctx context.Context, t plan.Target) (measure.Nodes, error) {
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

// options returns those of a cell that need nothing else.
func (r Runner) options(cell plan.Cell, nodes measure.Nodes) Options {
	o := Options{
		Options: measure.Options{
			ID: cell.ID(), Progress: r.Progress, ProgressEvery: r.ProgressEvery, Filling: r.Filling, Auditing: r.Auditing, Redact: r.Redact,
			GiveUp: r.GiveUp, Nodes: nodes, Kernel: kernelOf(nodes), NewWaiter: r.NewWaiter,
		},
		Shared: r.Shared != nil && r.Shared(cell.Target), Finish: r.repeats.keep(), Counts: r.counts,
	}
	if d := disksOf(nodes, cell, r.GiveUp); d != nil {
		o.Disks = d
	}
	if r.Observer != nil {
		o.Observer = r.Observer()
	}
	if o.Shared {
		o.Memory = memory(nodes)
	}
	if cell.Settings.Cold {
		o.Cold = coldly(o.Shared)
	}
	return o
}

// kernelOf returns the release of the kernel below nodes; "" if it is unknown.
func kernelOf(nodes measure.Nodes) string {
	if known, ok := nodes.(interface{ Kernel() string }); ok {
		return known.Kernel()
	}
	return ""
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
		return r.onAgents(ctx, cell)
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
	o := r.options(cell, nodes)
	o.Floor = floor
	if err := fits(f, cell, o); err != nil {
		return nil, err
	}
	if r.Causes != nil {
		o.Causes, o.JudgeCauses = r.Causes(nodes), causes.Judge
	}
	if o.Faults, err = r.faults(cell); err != nil {
		return nil, err
	}
	if o.Echo, err = r.echo(cell, run); err != nil {
		return nil, err
	}
	if r.Left != nil {
		o.Left = func(names []string) { r.Left(cell, names) }
	}
	if r.Store != nil {
		if o.Folder, err = r.folder(ctx, cell); err != nil {
			return nil, err
		}
		o.Room = func(ctx context.Context, write func() error) error { return r.room(ctx, o.Folder.Dir(), write) }
	}
	c, err = Cell(ctx, f, cell, o)
	if c == nil && r.Explain != nil {
		err = r.Explain(cell, err)
	}
	return c, err
}

// coldly returns what drops the page cache of a target's machine.
func coldly(shared bool) func() error {
	if shared {
		return machine.DropPageCache
	}
	return func() error { return errors.New("the target is not on this machine") }
}

// faults returns the fault driver of a cell; nil for one without faults.
func (r Runner) faults(cell plan.Cell) (FaultDriver, error) {
	if len(cell.Settings.Faults) == 0 || r.Faults == nil {
		return nil, nil
	}
	return r.Faults(cell)
}

// echo returns what sends the messages of a cell back; nil without an echo.
func (r Runner) echo(cell plan.Cell, run string) (measure.Echo, error) {
	if cell.Settings.Echo == "" || r.Echo == nil {
		return nil, nil
	}
	return r.Echo(cell, run)
}

// onAgents measures one cell on agents.
func (r Runner) onAgents(ctx context.Context, cell plan.Cell) (*results.Cell, error) {
	nodes, err := r.start(ctx, cell.Target)
	if err != nil {
		return nil, err
	}
	folder, err := r.folder(ctx, cell)
	if err != nil {
		return nil, err
	}
	d := &CellDriver{r: r, cell: cell, folder: folder, nodes: nodes, disks: disksOf(nodes, cell, r.GiveUp)}
	d.before(ctx)
	c, err := r.Agents(ctx, cell, folder, d)
	if c != nil && err == nil {
		err = d.after(ctx, c)
	}
	if c != nil && len(c.Left) > 0 && r.Left != nil {
		r.Left(cell, c.Left)
	}
	return c, err
}

// folder creates the folder of a cell.
func (r Runner) folder(ctx context.Context, cell plan.Cell) (folder *results.CellFolder, err error) {
	err = r.room(ctx, r.Store.Dir(), func() error {
		folder, err = r.Store.CreateCell(cell.ID())
		return err
	})
	return folder, err
}

// room calls what writes below a folder, as Room says.
func (r Runner) room(ctx context.Context, dir string, write func() error) error {
	if r.Room == nil {
		return write()
	}
	return r.Room(ctx, dir, write)
}
