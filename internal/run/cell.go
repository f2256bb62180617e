package run

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A FaultDriver makes the faults of one cell happen, and finds out what they did to its messages.
type FaultDriver interface {
	// Recorder returns what is given every message.
	Recorder() load.Recorder
	// Wrap returns a factory whose consumers the faults can pause.
	Wrap(f requester.Factory) requester.Factory
	// Ready is called when everything is set up, before the schedule begins. It returns when nodes are ready for faults, or ctx
	// is done. If agents measure, it is not called for the faults of nodes.
	Ready(ctx context.Context)
	// Begin is called when the schedule begins. It returns at once.
	Begin(f requester.Factory, start time.Time)
	// Ended is called when the last message is recorded: paused consumers go on.
	Ended()
	// Heal repairs what is still broken, before the audit.
	Heal()
	// Assess writes the faults and their impact into the result. Lost are the acknowledged messages
	// that the audit did not find; nil if that is unknown.
	Assess(c *results.Cell, out load.Outcome, lost *record.Bitmap)
	// Save writes what the faults did to one part of a cell into its folder.
	Save(folder *results.CellFolder, lost *record.Bitmap) error
	// AddPart adds what Save wrote for part i of so many; packed is nil for a part that was lost.
	AddPart(packed []byte, name string, i, of int) error
	// AssessParts is Assess for the parts that were added.
	AssessParts(c *results.Cell, out load.Outcome)
}

// Options say how a cell is measured and judged. The zero value measures and judges it.
type Options struct {
	measure.Options

	Shared bool             // the target is on this machine
	Floor  *results.Floor   // what the same shape costs without a broker; nil: unknown
	Faults FaultDriver      // nil: nothing makes faults happen
	Counts *judge.SLOCounts // counts the messages that break objectives; may be nil
	// Finish is given the numbers of a cell that was measured, or of each section of it; may be nil.
	Finish func(cell plan.Cell, raw measure.Raw)
}

// Cell measures a cell on the connections that f makes, and judges it. Doubts about the numbers
// are no errors: they are among the result's problems. See [measure.Cell].
func Cell(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) (*results.Cell, error) {
	part, err := cell.Part(o.Part)
	if err != nil {
		return nil, err
	}
	here := judge.Here(o.Shared)
	if o.Shared && o.Kernel == "" {
		o.Kernel = machine.ReadSystem("/").Release
	}
	o.Analysis = &analysis{judge.New(part, here, o.Counts), cell, o}
	sectioned := o
	sectioned.Counts = nil
	o.Analyses = func(section plan.Cell) measure.Analysis {
		return &analysis{judge.New(section, here, nil), section, sectioned}
	}
	if o.Faults != nil {
		o.withFaults(f)
	}
	return measure.Cell(ctx, f, cell, o.Options)
}

// withFaults has the fault driver called.
func (o *Options) withFaults(f requester.Factory) {
	faults, ready, started, settled := o.Faults, o.Ready, o.Started, o.Settled
	o.Record, o.Wrap, o.Ended = faults.Recorder(), faults.Wrap, faults.Ended
	o.Ready = func(ctx context.Context) (time.Time, error) {
		faults.Ready(ctx)
		if ready == nil {
			return time.Time{}, nil // also if ctx is done: a store may have been filled
		}
		return ready(ctx)
	}
	o.Started = func(start time.Time) {
		faults.Begin(f, start)
		if started != nil {
			started(start)
		}
	}
	o.Settled = func() {
		faults.Heal()
		if settled != nil {
			settled()
		}
	}
}

// analysis judges a cell, and implements [measure.Analysis].
type analysis struct {
	*judge.Analysis

	cell plan.Cell // or one of its sections
	o    Options
}

// Provisional implements [measure.Analysis].
func (a *analysis) Provisional(c *results.Cell) {
	c.Floor = a.o.Floor
	a.Analysis.Provisional(c)
}

// Finish implements [measure.Analysis].
func (a *analysis) Finish(c *results.Cell, raw measure.Raw) (err error) {
	c.Floor = a.o.Floor
	switch {
	case a.o.Part.Of == 0 && a.o.Faults == nil:
		c.Faults = unmade(c.Plan.Settings.Faults)
	case a.o.Faults == nil:
	case a.o.Part.Of == 0:
		a.o.Faults.Assess(c, raw.Outcome, raw.Lost)
	case a.o.Folder != nil: // the process that merges the parts assesses them
		err = a.o.Faults.Save(a.o.Folder, raw.Lost)
	}
	a.o.Counts.End(raw.Totals)
	if a.o.Finish != nil {
		a.o.Finish(a.cell, raw)
	}
	a.Describe(c, max(raw.DueTill-c.Plan.Settings.Warmup, 0))
	a.Judge(c)
	return err
}

// unmade returns faults that nothing made happen.
func unmade(planned []plan.Fault) (list []results.Fault) {
	for _, f := range planned {
		list = append(list, results.Fault{Plan: f, Error: "nothing makes faults happen here"})
	}
	return list
}
