package measure

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Options say what to do besides measuring. The zero value only measures. Every func may be nil.
type Options struct {
	ID     string              // the cell's name within its run; "" makes one of the cell
	Folder *results.CellFolder // where to write the files; nil: nowhere
	// Room calls what writes to Folder. It may call it again until the disk has space or ctx ends;
	// nil: once.
	Room   func(ctx context.Context, write func() error) error
	Redact func(string) string // removes secrets from a URL or a text; nil: nothing is secret

	// Part is the part of the cell that this process sends, such as part 2 of 3, when several
	// machines share it: see [plan.Cell.Part]. The result is that of the part. Zero: all of it.
	Part schedule.Part
	// Analysis adds to the numbers what follows from them; nil: they stay raw.
	Analysis Analysis
	// Analyses returns the analysis of a section of a rate that changes, in place of Analysis; nil:
	// sections stay raw.
	Analyses func(section plan.Cell) Analysis

	// Cold drops the page cache of the target's machine once the store is filled; nil: it is kept.
	Cold func() error
	// Memory describes the memory of the target's machine; nil: it is not known.
	Memory func() Memory
	// Filling is called twice a second while the store is filled, from one goroutine.
	Filling func(Filling)

	// Progress is called about once a second from one goroutine, off the measuring path.
	// ProgressEvery calls it more often, down to every 50 ms, except for the quarter of a
	// second in which an interval is taken; 0 means once a second. The log's intervals stay the same.
	Progress      func(Progress)
	ProgressEvery time.Duration
	// Auditing is called twice a second while an audit lasts longer than that, from one goroutine.
	Auditing func(Auditing)

	Kernel   string   // the release of the kernel below the broker; "": unknown
	Observer Observer // samples process and machine; nil: they are not sampled
	Nodes    Nodes    // of the target; nil: they are not known
	Disks    Disks    // of these nodes; nil: they are not known
	Causes   Causes   // samples what may delay messages, with the ticks of Observer; nil: it is not sampled
	// JudgeCauses returns the causes that the samples show; nil: they are only stored.
	JudgeCauses func(s *cause.Samples) *cause.Causes
	Echo        Echo // sends the messages back, so that each takes two hops; nil: the target itself does

	// Record is given every message that is done, those of the warm-up too, before the
	// histograms are. It may also be a [load.AckRecorder] or a [load.TroubleRecorder].
	Record load.Recorder
	// Wrap returns the factory whose connections carry the messages; nil: that of the cell.
	Wrap func(requester.Factory) requester.Factory

	// Ready is called when everything is set up, and returns when the schedule is to begin; see
	// load.Hooks. Nil: at once.
	Ready func(ctx context.Context) (start time.Time, err error)
	// Started is called when everything is set up, a moment before the first message is due at
	// start. It must return at once.
	Started func(start time.Time)
	// Ended is called when the last message is recorded.
	Ended func()
	// Settled is called after the last message was sent and the last reply awaited. The audit waits
	// until it returns.
	Settled func()
	// Left is called at the end with the names that may be left on the target, if there are any,
	// even if nothing was measured.
	Left func(names []string)

	// GiveUp makes Cell end within two seconds once it is closed, with the result so far, whatever
	// the target does. Nil: never.
	GiveUp <-chan struct{}
	// NewWaiter makes the waiter of a sender; nil: one that spins and sleeps, as the plan says.
	NewWaiter load.NewWaiter
}

// Disks are the disks of the target's nodes, which are measured before the cell and after it.
type Disks interface {
	// Before is called once it is known which broker will be measured.
	Before(ctx context.Context, broker results.Broker)
	// After is called after the last message, and returns the disks. They stay unmeasured if the cell was interrupted,
	// or its result is not stored yet.
	After(unmeasured bool) []results.Disk
}

// Causes samples what may delay messages, off the measuring path. Its methods are called one after the other.
type Causes interface {
	// Prepare is called when everything is set up. The schedule lasts for about length.
	Prepare(length time.Duration)
	// Begin is called when the schedule begins, at start. It returns at once.
	Begin(start time.Time)
	// Tick is called about a thousand times a second from then on, from one goroutine, if the Options have an Observer.
	Tick()
	// End ends the sampling and writes the samples. It is called without Begin if the schedule did not begin.
	End(to *cause.Samples)
}

// An Analysis adds to the numbers of a cell what follows from them. Its methods are called one
// after the other.
type Analysis interface {
	// Interval is given each interval of the log. It calls pause between two pieces of work,
	// which lets the goroutines run that take replies.
	Interval(i record.Interval, pause func())
	// Provisional is given a result of the messages so far, about once a second, if Options has
	// a Progress.
	Provisional(c *results.Cell)
	// Finish is given the result before it is written.
	Finish(c *results.Cell, raw Raw) error
}

// Raw is what only an [Analysis] needs of a cell.
type Raw struct {
	load.Outcome

	Totals record.Histograms
	Lost   *record.Bitmap // of the acknowledged messages, those that the audit did not find; nil unless it read the whole store
}

// A Filling is the progress of a store that is filled.
type Filling = backlog.Filling

// A Memory is what the machine of a target has.
type Memory = backlog.Memory

// Nodes are the nodes of a target, which are sampled while a cell is measured.
type Nodes = record.Nodes
