// Package measure measures one cell on this machine, or all cells of a plan. It
// asks the target what it is, runs the engine, keeps the histograms and the
// interval log, and judges whether the numbers can be trusted.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
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

	// Echo sends the messages back, so that each takes two hops; nil: the target itself does.
	Echo Echo

	// Part is what this process sends of the cell, where several machines share it, such as
	// part 2 of 3: see [plan.Cell.Part]. Its result is that of the part. Zero: all of it.
	Part schedule.Share
	// Ready is called when everything is set up and returns when the schedule is to begin;
	// see load.Hooks. Nil: at once.
	Ready func(ctx context.Context) (start time.Time, err error)
	// Mended is called of a part of a cell that has faults, when nothing is sent or awaited any
	// more, before the audit. It returns when what was broken is mended, by who breaks it for
	// all parts: see [Attendant]. Nil: nothing is broken.
	Mended func()
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
	attendant *Attendant     // of a cell that agents measured; may be nil
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
	broker, err := meet(ctx, f, o.Echo)
	if err != nil {
		return nil, err
	}
	around := newSurroundings(cell, o.Shared)
	cfg := config(cell, o, around.spin)
	intervals, echoing, err := prepare(ctx, cell, o, around, &cfg)
	if err != nil {
		return nil, err
	}
	defer echoing.close()
	audit := newAudit(ctx, f, cell, o)
	harm := newHarm(cell, audit.marks())
	if o.ofPart() {
		harm.ofPart()
	}
	faults := newFaults(cell, o, harm)
	intervals.recording.recorder.promised, intervals.recording.recorder.harm = harm.marks(audit.marks()), harm
	var measured []results.Setting
	hooks := load.Hooks{
		Settled: func(mine func([]byte) (int, uint64, bool)) {
			measured = measuredBy(f)
			echoing.report()
			faults.heal()
			if harm != nil && o.Mended != nil {
				o.Mended()
			}
			audit.read(mine)
		},
		Delivered: audit.delivery(), Acks: intervals.acknowledged, Publishes: intervals.publishes,
		Ready: intervals.nodes.ready(o.Ready), Started: echoing.started(o.started(intervals, faults, f)), Ended: faults.ended(intervals), GiveUp: o.GiveUp,
	}
	outcome, err := load.Run(ctx, faults.factory(f), cfg, intervals.recording.recorder.after(o.Record), hooks)
	echoing.write(intervals.log, outcome.Elapsed)
	logErr := intervals.close()
	outcome.Left = append(outcome.Left, echoing.close()...)
	o.left(outcome.Left)
	if err != nil {
		return nil, err
	}
	o.told(outcome, intervals.recording.totals)
	var broken []results.Fault
	if !o.ofPart() { // else who adds up the parts knows what broke
		broken = faults.list()
		harm.assess(broken, outcome, audit.lostOnes())
	}
	c := newCell(cell, o, finished{outcome, audit, broken, echoing.result()}, intervals, around)
	c.Broker, c.Measured, c.ShortLog = broker, measured, intervals.log.short(o.Redact)
	if o.Folder != nil { // a result that could not be kept is the graver error
		logErr = cmp.Or(save(o.Folder, c, intervals, echoing.handling()), logErr)
		if harm != nil && o.ofPart() {
			logErr = cmp.Or(saveHarm(o.Folder, harm.tape(faults, audit.lostOnes())), logErr)
		}
	}
	return c, logErr
}

// ofPart tells whether another process adds up what this one measures, also if it is alone.
func (o Options) ofPart() bool { return o.Part.Of > 0 }

// saveHarm writes what faults did to a part into its folder.
func saveHarm(folder *results.CellFolder, t harmTape) error {
	packed, err := t.pack()
	if err != nil {
		return err
	}
	return folder.SaveHarm(packed)
}

// meet asks a target what it is, with its connections as an echo wants them, if there is one.
func meet(ctx context.Context, f requester.Factory, e Echo) (results.Broker, error) {
	if err := crossed(f, e); err != nil {
		return results.Broker{}, err
	}
	return describe(ctx, f)
}

// prepare makes what records, and opens the echo, if there is one.
func prepare(ctx context.Context, cell plan.Cell, o Options, around surroundings, cfg *load.Config) (*intervals, *echoing, error) {
	in, err := newIntervals(o, cell, around)
	if err != nil {
		return nil, nil, err
	}
	e, err := beginEcho(ctx, o.Echo, in, cfg)
	if err != nil {
		return nil, nil, errors.Join(err, in.close())
	}
	return in, e, nil
}

// left says what may be left on the target, if anything is.
func (o Options) left(names []string) {
	if len(names) > 0 && o.Left != nil {
		o.Left(names)
	}
}

// told tells who wants to know what was measured.
func (o Options) told(out load.Outcome, t totals) {
	if o.Spanned != nil {
		o.Spanned(out.FirstDone, out.LastDone)
	}
	if o.keep != nil {
		o.keep(t)
	}
	o.watch.end(t)
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
func save(folder *results.CellFolder, c *results.Cell, in *intervals, handling *histogram.Histogram) error {
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
	if c.Echo != nil && (c.Echo.Clock == nil || c.Echo.Clock.BoundNS == 0) { // else they hold what is withheld
		errs = append(errs, saveEcho(folder, t, handling))
	}
	return cmp.Or(errs...) // the first: the others have the same cause
}
