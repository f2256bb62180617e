// Package measure measures one cell in this process: it runs the engine, keeps the histograms and
// the interval log, samples this process and the target's nodes, and audits the target's store.
// It returns raw numbers. An [Analysis] may add what follows from them, such as a verdict.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/users"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// describeTimeout bounds how long a target may take to describe itself.
const describeTimeout = 15 * time.Second

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

	// Cold drops the page cache of the target's machine before a backlog is read; nil: it stays as it is.
	Cold func() error
	// Filling is called twice a second while the store is filled with a backlog, from one goroutine.
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
	Echo     Echo     // sends the messages back, so that each takes two hops; nil: the target itself does

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
	// After is called after the last message. Of an interrupted cell it measures nothing.
	After(interrupted bool) []results.Disk
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

// session is a cell under way.
type session struct {
	cell, whole plan.Cell // whole: of which cell is a part
	o           Options
	factory     requester.Factory
	spin        time.Duration
	cores       float64 // that this process can use

	*intervals
	echo     *echoing
	backlog  *backlog.Backlog // nil without one
	audit    *audit
	measured []results.Setting
	broker   results.Broker
}

// Cell measures one cell on the connections that f makes.
//
// An error without a result means that nothing was measured: the target is down,
// or refuses the messages. An error beside a result means that one of its files
// could not be written. When ctx ends, the result is what was measured so far. An audit that is
// under way then is ended; one that begins later is not, but by GiveUp.
func Cell(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) (*results.Cell, error) {
	part, err := cell.Part(o.Part)
	if err != nil {
		return nil, err
	}
	if err := crossed(f, o.Echo); err != nil {
		return nil, err
	}
	if t := requester.Topology(part.Shape.Topology); !t.Own() {
		if _, err := requester.Arrange(f, t); err != nil {
			return nil, err
		}
	}
	contents, stamp, err := prepare(f, part)
	if err != nil {
		return nil, err
	}
	broker, err := Describe(ctx, f)
	if err != nil {
		return nil, err
	}
	s := newSession(f, part, cell, o)
	s.described(ctx, broker, stamp)
	cfg := s.config()
	cfg.Payload = contents
	if err := s.open(ctx, &cfg); err != nil {
		return nil, err
	}
	defer s.echo.close()
	out, err := load.Run(ctx, s.wrapped(), cfg, s.recording.recorder, s.hooks(ctx))
	s.writeWhole(out.Elapsed)
	kept := context.WithoutCancel(ctx) // what was measured is written even so
	if err == nil {
		_ = s.o.Room(kept, s.log.Flush) // its error is that of close
	}
	logErr := s.close()
	out.Left = append(out.Left, s.echo.close()...)
	if len(out.Left) > 0 && s.o.Left != nil {
		s.o.Left(out.Left)
	}
	if err != nil {
		return nil, err
	}
	c := s.result(out)
	s.describe(c)
	if s.sections != nil {
		err = s.finishSections(c, out)
	} else if o.Analysis != nil {
		err = o.Analysis.Finish(c, Raw{out, s.recording.totals, s.audit.missing()})
	}
	if o.Folder != nil { // a result that could not be kept is the graver error
		logErr = cmp.Or(
			s.o.Room(kept, func() error { return o.Folder.Save(c) }),
			s.o.Room(kept, func() error { return s.saveTables(c) }),
			logErr,
		)
	}
	return c, cmp.Or(err, logErr)
}

// described keeps what is known of the broker, and measures its disks.
func (s *session) described(ctx context.Context, broker results.Broker, stamp []results.Setting) {
	s.broker = broker
	s.broker.Settings = append(s.broker.Settings, stamp...)
	if s.o.Kernel != "" {
		s.broker.Kernel = &s.o.Kernel
	}
	if s.o.Disks != nil {
		s.o.Disks.Before(ctx, broker)
	}
}

// describe writes what is known of the broker and its disks into the result.
func (s *session) describe(c *results.Cell) {
	c.Broker = s.broker
	if s.o.Disks != nil {
		c.Disks = s.o.Disks.After(c.Interrupted)
	}
}

// saveTables writes the percentile tables of the whole window, unless sections have theirs.
func (s *session) saveTables(c *results.Cell) error {
	if s.sections != nil {
		return nil
	}
	return record.Save(s.o.Folder, c, s.recording.totals, s.echo.handling())
}

func newSession(f requester.Factory, cell, whole plan.Cell, o Options) *session {
	o.ID = cmp.Or(o.ID, whole.ID())
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	if o.Room == nil {
		o.Room = func(_ context.Context, write func() error) error { return write() }
	}
	s := &session{cell: cell, whole: whole, o: o, factory: f}
	if o.Part.Of < 2 {
		s.whole = cell
	}
	senders := min(max(cell.Settings.Senders, 1), max(cell.Shape.Connections, 1))
	s.cores = machine.ReadCores().Usable(senders)
	window, fixed := cell.Settings.Spin.Window()
	if !fixed {
		window = load.DefaultSpin(cell.Peak().Shape.Rate, senders, s.cores)
	}
	s.spin = max(window, load.LeastSpin)
	return s
}

// config returns the engine's configuration.
func (s *session) config() load.Config {
	cfg := record.Config(s.whole, s.o.Part)
	cfg.NewWaiter = s.o.NewWaiter
	if cfg.NewWaiter == nil {
		cfg.NewWaiter = load.KernelWaiter(s.spin)
	}
	return cfg
}

// open prepares a backlog, and opens the files, the echo, and the audit.
func (s *session) open(ctx context.Context, cfg *load.Config) (err error) {
	if err := s.fills(*cfg); err != nil {
		return err
	}
	if s.intervals, err = newIntervals(ctx, s); err != nil {
		return err
	}
	if s.echo, err = beginEcho(ctx, s.o.Echo, s.intervals, cfg); err != nil {
		return errors.Join(err, s.close())
	}
	if t := s.cell.Shape.Topology; !t.Own() {
		s.grouped(t)
	}
	if s.cell.Shape.Keys.Count > 0 {
		s.recording.recorder.origins = new(record.NewGroups(load.MostPartitions, 1))
	}
	s.audit = newAudit(ctx, s.factory, s.cell, s.o)
	s.recording.recorder.acked = s.audit.marks()
	s.recording.recorder.also(s.o.Record)
	s.recording.recorder.backlog = s.backlog
	if s.sections == nil {
		s.recording.recorder.users = users.New(*cfg, s.cell.Users())
		s.recording.grow(users.Series(s.cell.Users())...)
	}
	return nil
}

// wrapped returns the factory of the engine.
func (s *session) wrapped() requester.Factory {
	switch {
	case s.backlog != nil:
		return s.backlog
	case s.o.Wrap == nil:
		return s.factory
	}
	return s.o.Wrap(s.factory)
}

// fills prepares a backlog, if the cell has one.
func (s *session) fills(cfg load.Config) error {
	t := requester.Topology(s.cell.Shape.Topology)
	if s.cell.Shape.Backlog == (plan.Backlog{}) {
		return nil
	}
	if err := requester.Keep(s.factory, t); err != nil {
		return err
	}
	g, _ := requester.As[requester.Grouper](s.factory)
	s.backlog = backlog.New(g, s.cell, cfg, backlog.Options{Cold: s.o.Cold, Filling: s.o.Filling, GiveUp: s.o.GiveUp})
	return nil
}

// hooks returns what the engine calls.
func (s *session) hooks(ctx context.Context) load.Hooks {
	ready := s.nodes.Ready(s.o.Ready)
	if s.backlog != nil {
		ready = s.backlog.Ready(ready)
	}
	return load.Hooks{
		Settled: func(mine func([]byte) (int, uint64, bool)) {
			if s.backlog != nil {
				s.backlog.Settle(ctx)
			}
			s.measured = measuredBy(s.factory)
			s.echo.report()
			if s.o.Settled != nil {
				s.o.Settled()
			}
			s.examine(mine)
		},
		Delivered: s.audit.delivery(), Acks: s.acknowledged, Publishes: s.publishes, GiveUp: s.o.GiveUp,
		Ready: ready,
		Started: func(start time.Time) {
			if s.backlog != nil {
				s.backlog.Started(start)
			}
			s.begin(start)
			if s.o.Started != nil {
				s.o.Started(start)
			}
			s.echo.started()
		},
		Ended: func(elapsed time.Duration) {
			if s.o.Ended != nil && !s.start.IsZero() {
				s.o.Ended()
			}
			s.end(elapsed)
		},
	}
}

// result returns the result of an outcome.
func (s *session) result(out load.Outcome) *results.Cell {
	c := record.Result(s.cell, s.o.ID, out, s.recording.totals, s.o.Redact)
	c.SpinNS, c.UsableCores = int64(s.spin), s.cores
	if out.DueTill > 0 && s.o.NewWaiter == nil { // CPU time is real also in virtual time
		c.SenderCores = out.SendersCPU.Seconds() / out.DueTill.Seconds()
	}
	c.Measured, c.ShortLog = s.measured, s.log.Short(s.o.Redact)
	c.Echo, c.Audit = s.echo.result(), s.audit.found()
	s.recording.recorder.groups.Describe(c, out.Groups)
	users.Describe(c, users.Due(record.Config(s.whole, s.o.Part), s.cell.Users(), out.DueTill), s.recording.recorder.users.GivenUp(), s.recording.totals)
	if s.backlog != nil {
		c.Backlog = s.backlog.Result(out)
	}
	if origins := s.recording.recorder.origins; origins != nil {
		origins.DescribePartitions(c, s.broker)
	}
	s.recording.recorder.oneWay.describe(c)
	s.observed.describe(c)
	s.nodes.Describe(c, coresHere(c))
	return c
}

// coresHere returns how many cores this process used in a cell; nil if unknown.
func coresHere(c *results.Cell) *float64 {
	if c.Usage == nil {
		return nil
	}
	return &c.Usage.Process.CPUCores
}

// Describe asks a target what it is, if it can describe itself.
func Describe(ctx context.Context, f requester.Factory) (results.Broker, error) {
	d, ok := requester.As[requester.Describer](f)
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
		Settings: settings(described.Settings), Timers: settings(described.Timers), Durability: described.Durability,
	}, nil
}

// measuredBy asks a target what its client made of the messages, if it measures that.
func measuredBy(f requester.Factory) []results.Setting {
	m, ok := requester.As[requester.Measurer](f)
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

// A Filling is the progress of a store that is filled with a backlog.
type Filling = backlog.Filling

// Nodes are the nodes of a target, which are sampled while a cell is measured.
type Nodes = record.Nodes
