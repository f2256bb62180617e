package cli

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// measureOptions are the flags and arguments that run and search share.
type measureOptions struct {
	plan    planFlags
	targets []string
	printing
	progress progressFlags
	report   string
	agents   agentsFlags
	once     string   // why nobody can go on with what a coordinator of agents began and left; "" if one can
	args     []string // the command line

	allowFaults bool // of what brokerbench did not start; only run and fault have the flag
}

// define defines the flags but those of the plan.
func (o *measureOptions) define(f *pflag.FlagSet) {
	o.printing.define(f)
	o.progress.define(f)
	defineChoice(f, &o.report, "report", "", "write report.html into the run's folder: ", []string{"on", "off"})
}

// check reports mistakes before anything is measured.
func (o *measureOptions) check() error {
	return errors.Join(o.progress.check(), o.printing.check(o.plan.file))
}

// measuring is a run or a search under way.
type measuring struct {
	measure.Runner
	progress    *progress
	s           Streams
	o           measureOptions
	stopServing func() error
	echo        *child.TCP // what floors are measured against, from the first one on
	left        leftovers
	systems     *systems
	breaking    *breaking
	agents      *group // who measures the cells; nil: this process
}

// start is startHere, and if agents are to measure, they are there. The caller also calls
// over, when the last cell is measured.
func (o measureOptions) start(ctx context.Context, s Streams, p plan.Plan, shown *progress) (*measuring, error) {
	if o.agents.where == nil {
		return o.startHere(s, p, shown)
	}
	if o.once == "" && (len(p.Settings.Faults) > 0 || o.plan.targets.started(p)) {
		o.once = "what it had started or broken ended with it"
	}
	g, err := startGroup(ctx, s, o.agents, p, o.once)
	if err != nil {
		return nil, err
	}
	m, err := o.startHere(s, p, shown)
	if err != nil {
		return nil, g.never(ctx, err)
	}
	if err := g.state.begun(m.Store.Dir()); err != nil {
		return nil, g.never(ctx, errors.Join(err, m.stop()))
	}
	g.attach(m)
	return m, nil
}

// over is called when the last cell is measured: agents need not wait.
func (m *measuring) over(ctx context.Context) error { return m.agents.over(ctx) }

// startHere creates the folder of results, and a runner that fills it. The caller calls
// end, or stop if nothing was measured.
func (o measureOptions) startHere(s Streams, p plan.Plan, shown *progress) (*measuring, error) {
	if err := o.plan.targets.checkMachines(p); err != nil {
		return nil, err
	}
	stopServing, err := o.progress.serve(shown)
	if err != nil {
		return nil, err
	}
	store, err := results.Create(o.plan.out, p.Name, time.Now())
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
func (o measureOptions) into(s Streams, store *results.Store, faults []plan.Fault, shown *progress) *measuring {
	command := []string{"brokerbench"}
	for _, arg := range o.args {
		command = append(command, brokers.Redact(arg))
	}
	m := &measuring{progress: shown, s: s, o: o, systems: &systems{targets: o.plan.targets, say: shown.say, startFound: o.allowFaults}}
	m.breaking = newBreaking(m.systems, faults, store.Dir())
	m.Runner = measure.Runner{
		Echo: m.systems.targets.echo,
		Open: m.breaking.open, Breaker: m.breaking.breaker, Store: store, Command: command, Shared: o.plan.targets.shared, Redact: brokers.Redact,
		Progress: shown.report, ProgressEvery: shown.every, Auditing: shown.audit, Floor: m.floor, Observer: newObserver, Begin: shown.begin,
		GiveUp: s.GiveUp, Left: m.left.add, Explain: o.explain, Unreached: shown.unreached, Systems: m.systems,
	}
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
	return measure.Floor(ctx, cell, m.echo)
}

// end writes the page of the results, and prints them, while nodes and children end:
// neither those that take their time nor who reads it keeps the other waiting. Its error
// carries the exit code, which is code if all went well.
func (m *measuring) end(run results.Run, d *document.Document, err error, code int) error {
	m.progress.view.Clear()
	if m.o.report == "on" && run.ID != "" && !m.s.gaveUp() {
		err = errors.Join(err, writeReport(filepath.Join(m.Store.Dir(), reportFile), m.Store))
	}
	stopped := make(chan error, 1)
	go func() { stopped <- m.stop() }()
	m.left.say(m.s, run.ID)
	err = errors.Join(err, m.o.show(m.s, withFolder(d, m.Store)), <-stopped)
	switch {
	case run.Interrupted:
		return failure{exitInterrupted, err}
	case err != nil:
		return lostAgents(failure{exitError, err})
	case code == exitGood:
		return nil
	}
	return failure{code: code}
}

// gaveUp reports whether GiveUp is closed.
func (s Streams) gaveUp() bool {
	select {
	case <-s.GiveUp:
		return true
	default:
		return false
	}
}

// stop stops what start and floor started.
func (m *measuring) stop() (err error) {
	m.agents.close()
	if m.echo != nil {
		err = m.echo.Stop()
	}
	return errors.Join(err, m.breaking.stop(), m.systems.close(), m.stopServing())
}

func newObserver() measure.Observer { return machine.NewObserver() }
