package cli

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// measureOptions are the flags and arguments that run and search share.
type measureOptions struct {
	plan    planning.PlanFlags
	targets []string
	command.Printing
	progress progressFlags
	report   string
	agents   remote
	once     string   // why a run on agents cannot be resumed; "" if it can
	args     []string // the command line

	allowFaults bool // of what brokerbench did not start; only run and fault have the flag
}

// define defines the flags but those of the plan.
func (o *measureOptions) define(f *pflag.FlagSet) {
	o.Define(f)
	o.progress.define(f)
	command.DefineChoice(f, &o.report, "report", "", "write report.html into the run's folder: ", []string{"on", "off"})
}

// check reports mistakes before anything is measured.
func (o *measureOptions) check() error {
	return errors.Join(o.progress.check(), o.Check(o.plan.File))
}

// measuring is a run or a search under way.
type measuring struct {
	run.Runner
	progress    *progress
	s           command.Streams
	o           measureOptions
	stopServing func() error
	echo        *child.TCP // answers the messages of floors; nil before the first
	left        planning.Leftovers
	bed         *testbed.Testbed
	agents      remoteRun // nil: this process measures the cells
}

// start is startHere, and if agents are to measure, they are there. The caller also calls
// over, when the last cell is measured.
func (o measureOptions) start(ctx context.Context, s command.Streams, p plan.Plan, shown *progress) (*measuring, error) {
	if o.agents.count() == 0 {
		return o.startHere(s, p, shown)
	}
	if o.once == "" && (len(p.Settings.Faults) > 0 || testbed.Started(p)) {
		o.once = "its started systems and its faults ended with it"
	}
	g, err := o.agents.start(ctx, s, p, o.once)
	if err != nil {
		return nil, err
	}
	m, err := o.startHere(s, p, shown)
	if err == nil {
		if err = g.Begun(m.Store.Dir()); err != nil {
			err = errors.Join(err, m.stop())
		}
	}
	if err != nil { // agents need not wait, and the run's secrets are not kept
		err = errors.Join(err, g.End(ctx))
		g.Close()
		return nil, err
	}
	g.attach(m)
	return m, nil
}

// over is called when the last cell is measured: agents need not wait.
func (m *measuring) over(ctx context.Context) error {
	if m.agents == nil {
		return nil
	}
	return m.agents.End(ctx)
}

// startHere creates the folder of results, and a runner that fills it. The caller calls
// end, or stop if nothing was measured.
func (o measureOptions) startHere(s command.Streams, p plan.Plan, shown *progress) (*measuring, error) {
	if err := o.plan.Targets.CheckMachine(p); err != nil {
		return nil, command.Usage(err)
	}
	stopServing, err := o.progress.serve(shown)
	if err != nil {
		return nil, err
	}
	store, err := results.Create(o.plan.Out, p.Name, time.Now())
	if err != nil {
		return nil, errors.Join(err, stopServing())
	}
	store.Link()
	m := o.into(s, store, p.Settings.Faults, shown)
	m.stopServing = stopServing
	return m, nil
}

// into returns a runner that fills a folder of results, and does those faults. The caller
// says how the serving of metrics stops. See startHere.
func (o measureOptions) into(s command.Streams, store *results.Store, faults []plan.Fault, shown *progress) *measuring {
	command := []string{"brokerbench"}
	for _, arg := range o.args {
		command = append(command, brokers.Redact(arg))
	}
	m := &measuring{progress: shown, s: s, o: o, bed: testbed.New(testbed.Options{
		Targets: o.plan.Targets, Faults: faults, Results: store.Dir(), Say: shown.say, StartFound: o.allowFaults, GiveUp: s.GiveUp,
	})}
	m.Runner = run.Runner{
		Store: store, Command: command, Redact: brokers.Redact,
		Progress: shown.report, ProgressEvery: shown.every, Auditing: shown.audit, Floor: m.floor, Begin: shown.begin,
		GiveUp: s.GiveUp, Left: m.left.Add, Explain: o.explain, Unreached: shown.unreached,
	}
	m.bed.Fill(&m.Runner)
	return m
}

// floor measures a shape without a broker, against an echo in a child process that
// runs until stop.
func (m *measuring) floor(ctx context.Context, cell plan.Cell) (_ *results.Floor, err error) {
	if m.echo == nil {
		if m.echo, err = child.StartTCP(loopback.Config{}); err != nil {
			return nil, err
		}
	}
	m.progress.floor(cell)
	return run.Floor(ctx, cell, m.echo)
}

// end writes the page of the results, and prints them, while nodes and children end:
// neither those that take their time nor who reads it keeps the other waiting. Its error
// carries the exit code, which is code if all went well.
func (m *measuring) end(run results.Run, d *document.Document, err error, code int) error {
	m.progress.view.Clear()
	if m.o.report == "on" && run.ID != "" && !m.s.GaveUp() {
		err = errors.Join(err, analysis.WriteReport(filepath.Join(m.Store.Dir(), analysis.ReportFile), m.Store))
	}
	stopped := make(chan error, 1)
	go func() { stopped <- m.stop() }()
	m.left.Say(m.s, run.ID)
	err = errors.Join(err, m.o.Show(m.s, command.WithFolder(d, m.Store)), <-stopped)
	switch {
	case run.Interrupted:
		return command.Fail(command.ExitInterrupted, err)
	case err != nil:
		return m.failed(command.Fail(command.ExitError, err))
	case code == command.ExitGood:
		return nil
	}
	return command.Fail(code, nil)
}

// failed gives the error of a run its exit code.
func (m *measuring) failed(err error) error {
	if m.agents == nil {
		return err
	}
	return m.agents.fail(err)
}

// stop stops what start and floor started.
func (m *measuring) stop() (err error) {
	if m.agents != nil {
		m.agents.Close()
	}
	if m.echo != nil {
		err = m.echo.Stop()
	}
	return errors.Join(err, m.bed.Close(), m.stopServing())
}
