package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// measureOptions are the flags and arguments of commands that measure.
type measureOptions struct {
	plan    planning.PlanFlags
	targets []string
	command.Printing
	progress progressFlags
	report   string
	agents   agentsFlags // internal/agents
	once     string      // why a run on agents cannot be resumed; "" if it can
	args     []string    // the command line

	allowFaults     bool // of what brokerbench did not start; only run and fault have the flag
	allowUnverified bool // levels of durability
}

// define defines the flags but those of the plan, and more formats.
func (o *measureOptions) define(f *pflag.FlagSet, more ...document.Format) {
	o.defineShown(f, more...)
	o.agents.define(f) // internal/agents
}

// defineShown defines the flags that say what is shown.
func (o *measureOptions) defineShown(f *pflag.FlagSet, more ...document.Format) {
	o.Define(f, more...)
	o.progress.define(f)
	f.BoolVar(&o.allowUnverified, "allow-unverified", false, "exit code 0 although a level of durability that was asked for is not verified")
	command.DefineChoice(f, &o.report, "report", "", "write report.html into the run's folder: ", []string{"on", "off"})
}

// check reports mistakes before anything is measured.
func (o *measureOptions) check() error {
	return errors.Join(o.progress.check(), o.Check(o.plan.File))
}

// place checks whether this process, or the agents that the flags name, can measure some plans.
func (o *measureOptions) place(plans ...plan.Plan) (err error) {
	err = o.agents.place(o.plan.Targets, plans...) // internal/agents
	if err != nil {
		return err
	}
	each := []int{1}
	each = append(each, o.agents.share()) // internal/agents
	var cells []plan.Cell
	for _, p := range plans {
		cells = append(cells, p.Cells()...)
	}
	return command.Usage(errors.Join(o.plan.Targets.CheckAcks(cells...), checkFiles(o.plan.Targets, each[len(each)-1], cells...)))
}

// checkFiles returns an error if a process may not open as many files as its part of the
// connections of some cells needs: 1 of so many parts. Part 0 is measured elsewhere.
func checkFiles(known testbed.Targets, parts int, cells ...plan.Cell) error {
	for _, cell := range cells {
		if parts == 0 || len(known.Parsed[cell.Target.URL].Addresses()) == 0 {
			continue // elsewhere, or without sockets
		}
		needs := doctor.Needs{Connections: (cell.Shape.Connections + cell.Shape.Topology.Consumers() + parts - 1) / parts, Sockets: known.Sockets([]plan.Target{cell.Target})}
		if err := needs.CheckFiles(); err != nil {
			return err
		}
	}
	return nil
}

// measuring is a run, a search or the turns of ab under way.
type measuring struct {
	run.Runner
	progress    *progress
	s           command.Streams
	o           measureOptions
	stopServing func() error
	echo        *child.TCP // answers the messages of floors; nil before the first
	left        planning.Leftovers
	bed         *testbed.Testbed
	agents      *onAgents // internal/agents
}

// start creates the folder of results, and a runner that fills it. If agents are to measure, they
// are there. The caller calls end, or abandon if nothing was measured.
func (o measureOptions) start(ctx context.Context, s command.Streams, p plan.Plan, shown *progress) (_ *measuring, err error) {
	if err := o.plan.Targets.CheckMachine(p); err != nil {
		return nil, command.Usage(err)
	}
	m := o.measuring(s, p, shown)
	if err := m.bed.Reach(ctx, p); err != nil {
		return nil, m.abandon(ctx, err)
	}
	m.agents, err = o.agents.start(ctx, s, p, o.once) // internal/agents
	if err == nil {
		m.stopServing, err = o.progress.serve(shown)
	}
	if err == nil {
		m.Store, err = results.Create(o.plan.Out, p.Name, time.Now())
	}
	if err == nil {
		m.Store.Link()
		m.bed.Results = m.Store.Dir()
		err = m.agents.begin(m) // internal/agents
	}
	if err != nil {
		return nil, m.abandon(ctx, err)
	}
	return m, nil
}

// measuring returns a runner without a folder of results.
func (o measureOptions) measuring(s command.Streams, p plan.Plan, shown *progress) *measuring {
	command := []string{"brokerbench"}
	for _, arg := range o.args {
		command = append(command, brokers.Redact(arg))
	}
	m := &measuring{progress: shown, s: s, o: o, stopServing: func() error { return nil }}
	m.bed = testbed.New(testbed.Options{
		Targets: o.plan.Targets, Faults: p.Settings.Faults, Say: shown.say, StartFound: o.allowFaults, GiveUp: s.GiveUp, SSH: o.ssh(s),
	})
	m.Runner = run.Runner{
		Command: command, Redact: brokers.Redact,
		Progress: shown.report, ProgressEvery: shown.every, Filling: shown.fill, Auditing: shown.audit, Floor: m.floor, Begin: shown.begin,
		GiveUp: s.GiveUp, Room: safefile.Room{Say: shown.warn, GiveUp: s.GiveUp}.Wait, Left: m.left.Add, Explain: o.explain, Unreached: shown.unreached,
	}
	m.bed.Fill(&m.Runner)
	return m
}

// ssh returns a function that reads the program for other machines, once.
func (o *measureOptions) ssh(s command.Streams) func() (*ssh.Program, error) {
	binary := []string{""}                   // this program
	binary = append(binary, o.agents.Binary) // internal/agents
	given, _ := command.Lookup(s.Environ)("BROKERBENCH_SSH")
	return sync.OnceValues(func() (*ssh.Program, error) { return ssh.New(ssh.Command(given), binary[len(binary)-1]) })
}

// explain implements run.Runner.Explain. It names the remedy for what brokers do
// not know: how many files all connections of a cell need.
func (o *measureOptions) explain(cell plan.Cell, err error) error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return err
	}
	need := doctor.Needs{Connections: cell.Shape.Connections, Sockets: o.plan.Targets.Sockets([]plan.Target{cell.Target})}
	return fmt.Errorf("%w (%s)", err, need.FilesRemedy())
}

// floor measures a shape without a broker, against an echo in a child process that
// runs until stop.
func (m *measuring) floor(ctx context.Context, cell plan.Cell) (_ *results.Floor, err error) {
	m.progress.floor(cell)
	if own, err := m.o.plan.Targets.OwnFloor(ctx, cell); own != nil || err != nil {
		return own, err
	}
	if m.echo == nil {
		if m.echo, err = child.StartTCP(loopback.Config{}); err != nil {
			return nil, err
		}
	}
	echo := m.echo.Factory // which takes the topology of one cell
	return run.Floor(ctx, cell, &echo)
}

// end is called when the last cell is measured. It writes the page of the results, and prints them,
// while nodes and children end: neither those that take their time nor who reads it keeps the other
// waiting. Its error carries the exit code, which is code if all went well.
func (m *measuring) end(ctx context.Context, run results.Run, d *document.Document, err error, code int) error {
	err = errors.Join(err, m.over(ctx))
	if run.Failed() {
		command.NotLast(m.Store)
	}
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
		err = command.Fail(command.ExitError, err)
		err = withoutAgents(err) // internal/agents
		return err
	case code == command.ExitGood:
		return nil
	}
	return command.Fail(code, nil)
}

// backed returns the exit code of cells that is otherwise code: a level of durability that was asked
// for must be verified, and must hold after the window as before it.
func (o *measureOptions) backed(code int, cells ...*results.Cell) int {
	for _, c := range cells {
		b := c.Broker.Durability
		if code == command.ExitGood && b != nil && (b.Withdrawn != "" || b.Asked != "" && len(b.NotVerified) > 0 && !o.allowUnverified) {
			return command.ExitInvalid
		}
	}
	return code
}

// over lets agents go: the last cell was measured.
func (m *measuring) over(ctx context.Context) (err error) {
	err = m.agents.over(ctx) // internal/agents
	return err
}

// abandon ends what was started, as err prevents that anything is measured.
func (m *measuring) abandon(ctx context.Context, err error) error {
	return errors.Join(err, m.over(ctx), m.stop())
}

// stop stops what start and floor started.
func (m *measuring) stop() (err error) {
	m.agents.stop() // internal/agents
	if m.echo != nil {
		err = m.echo.Stop()
	}
	return errors.Join(err, m.bed.Close(), m.stopServing())
}
