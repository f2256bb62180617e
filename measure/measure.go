// Package measure measures one cell in this process: it runs the engine, keeps the histograms and
// the interval log, samples this process and the target's nodes, and audits the target's store.
// It returns raw numbers. An [Analysis] may add what follows from them, such as a verdict.
package measure

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/users"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

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
	store    *backlog.Store   // nil unless it is filled
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
			s.o.Room(kept, s.saveCauses),
			logErr,
		)
	}
	return c, cmp.Or(err, logErr, s.measureDisks(kept, c))
}

// measureDisks measures the disks after the cell, which is stored already: a machine that fails meanwhile has its result.
func (s *session) measureDisks(ctx context.Context, c *results.Cell) error {
	if s.o.Disks == nil || c.Interrupted {
		return nil
	}
	c.Disks = s.o.Disks.After(false)
	if s.o.Folder == nil {
		return nil
	}
	return s.o.Room(ctx, func() error { return s.o.Folder.Save(c) })
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
	if s.sampled != nil && s.o.JudgeCauses != nil {
		c.Causes = s.o.JudgeCauses(s.sampled)
	}
	if s.o.Disks != nil {
		c.Disks = s.o.Disks.After(true) // see measureDisks
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
	s.audit.retains(record.Config(s.whole, s.o.Part), s.store)
	s.recording.recorder.acked, s.recording.recorder.slowest = s.audit.marks(), s.audit.slowestAcks()
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
	case s.store != nil:
		return s.store
	}
	return s.carrier()
}

// carrier returns the factory whose connections carry the messages.
func (s *session) carrier() requester.Factory {
	if s.o.Wrap == nil {
		return s.factory
	}
	return s.o.Wrap(s.factory)
}

// fills prepares a backlog, or the filling of the store, if the cell has one.
func (s *session) fills(cfg load.Config) error {
	t, o := requester.Topology(s.cell.Shape.Topology), backlog.Options{Cold: s.o.Cold, Memory: s.o.Memory, Filling: s.o.Filling, GiveUp: s.o.GiveUp}
	if s.cell.Shape.UntilStore > 0 {
		meter, err := requester.Meter(s.factory)
		if err == nil {
			s.store = backlog.NewStore(s.carrier(), meter, s.cell, cfg, o)
		}
		return err
	}
	if s.cell.Shape.Backlog == (plan.Backlog{}) {
		return nil
	}
	if err := requester.Keep(s.factory, t); err != nil {
		return err
	}
	g, _ := requester.As[requester.Grouper](s.factory)
	s.backlog = backlog.New(g, s.cell, cfg, o)
	return nil
}

// hooks returns what the engine calls.
func (s *session) hooks(ctx context.Context) load.Hooks {
	ready := s.nodes.Ready(s.prepared(s.o.Ready)) // the nodes' processes are known first
	switch {
	case s.backlog != nil:
		ready = s.backlog.Ready(ready)
	case s.store != nil:
		ready = s.store.Ready(ready)
	}
	return load.Hooks{
		Settled: func(mine func([]byte) (int, uint64, bool)) {
			if s.backlog != nil {
				s.backlog.Settle(ctx)
			}
			if s.store != nil {
				s.store.Settle(ctx)
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
	if s.store != nil {
		c.StoreFill = s.store.Result()
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
