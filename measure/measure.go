// Package measure measures one cell on this machine, or all cells of a plan. It
// asks the target what it is, runs the engine, keeps the histograms and the
// interval log, and judges whether the numbers can be trusted.
package measure

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// describeTimeout bounds how long a target may take to describe itself.
const describeTimeout = 15 * time.Second

// Options say what to do besides measuring. The zero value only measures.
type Options struct {
	ID     string              // the cell's name within its run; "" makes one of the cell
	Folder *results.CellFolder // where to write the files; nil: nowhere
	Shared bool                // the target is on this machine; the result mentions it
	Redact func(string) string // removes secrets from a URL or a text; nil: nothing is secret

	// Progress is called about once a second from one goroutine, off the measuring
	// path; it may be nil. ProgressEvery calls it more often, down to every 50 ms, but for
	// the quarter of a second in which an interval is taken; 0 means once a second. Intervals of the log stay as they are.
	Progress      func(Progress)
	ProgressEvery time.Duration

	// Auditing is called twice a second while an audit lasts longer than that, from one
	// goroutine; it may be nil.
	Auditing func(Auditing)

	// Breaker breaks what the faults of the cell say, but for consumers that fall behind, which
	// needs none; nil: nobody does, and the result says so.
	Breaker Breaker

	// Observer observes process and machine meanwhile; nil: nobody does.
	Observer Observer
	// Nodes are the target's, which are watched meanwhile; nil: they are not known.
	Nodes Nodes
	// Floor is what the same shape costs without a broker; nil: not known.
	Floor *results.Floor

	// Part is what this process sends of the cell, where several machines share it, such as
	// part 2 of 3: see [plan.Cell.Part]. Its result is that of the part. Zero: all of it.
	Part schedule.Share
	// Ready is called when everything is set up and returns when the schedule is to begin;
	// see load.Hooks. Nil: at once.
	Ready func(ctx context.Context) (start time.Time, err error)
	// Spanned is told, at the end, when the first and the last message of the window to be
	// done were, from the first due; nil: nobody is.
	Spanned func(first, last time.Duration)

	// Started is called when everything is set up, a moment before the first
	// message is due at start. It must return at once; it may be nil.
	Started func(start time.Time)

	// GiveUp makes Cell end within two seconds once it is closed, with what was
	// measured so far, whatever the target does. Nil: it never is.
	GiveUp <-chan struct{}

	// Record is given every message that is done, those of the warm-up too, before
	// the histograms are; nil: nobody is.
	Record load.Recorder

	// Left is called at the end with what may be left on the target, if anything is,
	// also if nothing was measured. It may be nil.
	Left func(names []string)

	whole     plan.Cell      // of which Part is measured
	newWaiter load.NewWaiter // for tests in virtual time
	keep      func(totals)   // gets the histograms of a cell that was measured; may be nil
	watch     *Watch         // counts what breaks the objectives; may be nil
}

// Cell measures one cell on the connections that f makes.
//
// An error without a result means that nothing was measured: the target is down,
// or refuses the messages. An error beside a result means that one of its files
// could not be written. Doubts about the numbers are no error: they are among the
// result's problems. When ctx ends, the result is what was measured so far. An audit that is
// under way then is ended; one that begins later is not, but by GiveUp.
func Cell(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) (*results.Cell, error) {
	o = o.withDefaults(cell)
	cell, err := cell.Part(o.Part)
	if err != nil {
		return nil, err
	}
	broker, err := describe(ctx, f)
	if err != nil {
		return nil, err
	}
	around := newSurroundings(cell, o.Shared)
	intervals, err := newIntervals(o, cell, around)
	if err != nil {
		return nil, err
	}
	cfg := config(cell, o, around.spin)
	audit := newAudit(ctx, f, cell, o)
	harm := newHarm(cell, audit.marks())
	faults := newFaults(cell, o, harm)
	intervals.recording.recorder.promised, intervals.recording.recorder.harm = harm.marks(audit.marks()), harm
	var measured []results.Setting
	settled := func(mine func([]byte) (int, uint64, bool)) {
		measured = measuredBy(f)
		faults.heal()
		audit.read(mine)
	}
	hooks := load.Hooks{
		Settled: settled, Delivered: audit.delivery(), Acks: intervals.acknowledged, Publishes: intervals.publishes,
		Ready: o.Ready, Started: o.started(intervals, faults, f), Ended: faults.ended(intervals), GiveUp: o.GiveUp,
	}
	outcome, err := load.Run(ctx, faults.factory(f), cfg, intervals.recording.recorder.after(o.Record), hooks)
	logErr := intervals.close()
	if len(outcome.Left) > 0 && o.Left != nil {
		o.Left(outcome.Left)
	}
	if err != nil {
		return nil, err
	}
	if o.Spanned != nil {
		o.Spanned(outcome.FirstDone, outcome.LastDone)
	}
	if o.keep != nil {
		o.keep(intervals.recording.totals)
	}
	o.watch.end(intervals.recording.totals)
	broken := faults.list()
	harm.assess(broken, outcome, audit.lostOnes())
	c := newCell(cell, o, finished{outcome, audit, broken}, intervals, around)
	c.Broker, c.Measured, c.ShortLog = broker, measured, intervals.log.short(o.Redact)
	if o.Folder != nil { // a result that could not be kept is the graver error
		logErr = cmp.Or(save(o.Folder, c, intervals), logErr)
	}
	return c, logErr
}

// started returns the hook for the moment when the schedule begins.
func (o Options) started(in *intervals, broken *faults, f requester.Factory) func(time.Time) {
	return func(start time.Time) {
		in.begin(start)
		broken.begin(f, start, in.window.from)
		if o.Started != nil {
			o.Started(start)
		}
	}
}

func (o Options) withDefaults(cell plan.Cell) Options {
	if o.ID == "" {
		o.ID = cell.ID()
	}
	o.whole = cell
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	return o
}

// config returns the engine's configuration for a cell.
func config(cell plan.Cell, o Options, spin time.Duration) load.Config {
	whole := o.whole
	if o.Part.Of < 2 {
		whole = cell
	}
	cfg := load.Config{
		Schedule: whole.Schedule(), Share: o.Part, Warmup: cell.Settings.Warmup, Timeout: cell.Settings.Timeout,
		Size: cell.Shape.Size, Connections: whole.Shape.Connections, InFlight: cell.Shape.InFlight,
		Senders: cell.Settings.Senders, NewWaiter: o.newWaiter,
	}
	if cfg.NewWaiter == nil {
		cfg.NewWaiter = load.KernelWaiter(spin)
	}
	return cfg
}

// describe asks a target what it is, if it can describe itself.
func describe(ctx context.Context, f requester.Factory) (results.Broker, error) {
	d, ok := f.(requester.Describer)
	if !ok {
		return results.Broker{Product: fmt.Sprintf("%T", f)}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	described, err := d.Describe(ctx)
	if err != nil {
		return results.Broker{}, err
	}
	return results.Broker{
		Product: described.Product, Version: described.Version, Client: described.Client,
		Settings: settings(described.Settings), Durability: described.Durability,
	}, nil
}

// measuredBy asks a target what its client made of the messages, if it measures that.
func measuredBy(f requester.Factory) []results.Setting {
	m, ok := f.(requester.Measurer)
	if !ok {
		return nil
	}
	return settings(m.Measured())
}

func settings(list []requester.Setting) (kept []results.Setting) {
	for _, s := range list {
		kept = append(kept, results.Setting{Name: s.Name, Value: s.Value})
	}
	return kept
}

// save writes the files that are written once, at the end.
func save(folder *results.CellFolder, c *results.Cell, in *intervals) error {
	t := in.recording.totals
	errs := []error{
		folder.Save(c),
		folder.SavePercentiles(results.ResponseFile, t[response]),
		folder.SavePercentiles(results.ServiceFile, t[service]),
	}
	if interval, ok := correctionInterval(c.Plan); ok {
		errs = append(errs, folder.SavePercentiles(results.CorrectedFile, t[service].Corrected(interval)))
	}
	if t.acks() {
		errs = append(errs, folder.SavePercentiles(results.AckFile, t[ack]), folder.SavePercentiles(results.CompleteFile, t[complete]))
	}
	if t[published] != nil {
		errs = append(errs, folder.SavePercentiles(results.PublishedFile, t[published]))
	}
	return cmp.Or(errs...) // the first: the others have the same cause
}
