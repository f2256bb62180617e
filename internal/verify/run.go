package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	runner "github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

const (
	// stillAtMost is which part of the window the system may stand still in one go:
	// half of the stall that a scenario has. Beyond that it is another scenario.
	stillAtMost = 1. / 10
	// attempts is how often an inconclusive scenario is measured.
	attempts = 3
)

// A System is a scenario's system, which keeps a journal. It may run in another
// process.
type System interface {
	requester.Factory
	Record() (loopback.Record, error)
	Stop() error
}

// A Verifier measures scenarios.
type Verifier struct {
	// Start starts a system with a journal of that many messages over that many
	// connections; required.
	Start func(cfg loopback.Config, connections, messages int) (System, error)
	Begin func(s Scenario, n, of int) // called before scenario n (from 1) of so many; may be nil
	// Observer returns what observes this process during a scenario; nil: nothing.
	Observer func() measure.Observer
}

// Run measures one scenario after the other, and again if it is inconclusive. What
// disagrees is not tried again. It stops at the first one that cannot
// be measured, or when ctx ends, and returns the checks made so far.
func (v Verifier) Run(ctx context.Context, scenarios []Scenario) ([]Check, error) {
	var checks []Check
	for i, s := range scenarios {
		if v.Begin != nil {
			v.Begin(s, i+1, len(scenarios))
		}
		check, err := v.conclude(ctx, s)
		if err != nil {
			return checks, fmt.Errorf("%s, %s: %w", s.Name, s.Mode(), err)
		}
		checks = append(checks, check)
	}
	return checks, nil
}

// conclude measures a scenario until it is conclusive, or has been tried often enough.
func (v Verifier) conclude(ctx context.Context, s Scenario) (check Check, err error) {
	for n := 1; n <= attempts; n++ {
		check, err = v.check(ctx, s)
		check.Attempts = n
		if err != nil || check.Answer != Inconclusive {
			break
		}
	}
	return check, err
}

func (v Verifier) check(ctx context.Context, s Scenario) (check Check, err error) {
	shape := s.Cell.Shape
	system, err := v.Start(s.System, shape.Connections, len(dues(s.Cell)))
	if err != nil {
		return Check{}, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	var o measure.Options
	if v.Observer != nil {
		o.Observer = v.Observer()
	}
	w := newWitnesses(system, s)
	c, reported, err := w.measure(ctx, o)
	if err != nil {
		return Check{}, err
	}
	record, err := system.Record()
	if err != nil {
		return Check{}, err
	}
	r := w.run(c, reported, record)
	check = r.check(s.Name, predict(s), doubt(s, record))
	check.StillNS = int64(record.Still)
	return check, nil
}

// doubt tells why it was not the scenario that was measured; "" if it was.
func doubt(s Scenario, record loopback.Record) string {
	if record.Still.Seconds() <= stillAtMost*s.Cell.Settings.Duration.Seconds() {
		return ""
	}
	return fmt.Sprintf("the system stood still for %v, which is not in the scenario", record.Still.Round(time.Millisecond))
}

// witnesses are what notes a measurement on the client's side.
type witnesses struct {
	scenario Scenario
	station  *station
	ops      *ops
	start    time.Time // of the schedule
}

func newWitnesses(f requester.Factory, s Scenario) *witnesses {
	connections, messages := s.Cell.Shape.Connections, len(dues(s.Cell))
	w := &witnesses{scenario: s}
	w.ops = &ops{connections: connections, list: make([]load.Op, messages), seen: make([]atomic.Bool, messages)}
	w.station = &station{
		Factory: f, holds: s.Holds, start: func() time.Time { return w.start },
		asked: loopback.NewJournal(connections, messages), handed: loopback.NewJournal(connections, messages),
		failed: loopback.NewJournal(connections, messages),
	}
	return w
}

// measure measures the cell through the station, and reads the interval log that it
// wrote.
func (w *witnesses) measure(ctx context.Context, o measure.Options) (c *results.Cell, s series, err error) {
	dir, err := os.MkdirTemp("", "brokerbench-verify-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating a folder for the result: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.Folder, o.Record = results.OpenCell(dir), w.ops
	then := o.Started
	o.Started = func(start time.Time) {
		w.start = start
		if then != nil {
			then(start)
		}
	}
	c, err = runner.Cell(ctx, w.station, w.scenario.Cell, runner.Options{Options: o})
	switch {
	case err != nil:
		return nil, nil, err
	case c.Interrupted:
		return nil, nil, context.Cause(ctx)
	}
	s, err = readSeries(o.Folder, c)
	return c, s, err
}

// run puts together what was noted. Record is the system's own; it may be empty.
func (w *witnesses) run(c *results.Cell, reported series, record loopback.Record) *run {
	r := &run{cell: w.scenario.Cell, result: c, reported: reported, elapsed: time.Duration(c.ElapsedNS)}
	if own, shape := w.station.limit, &r.cell.Shape; own > 0 && (shape.InFlight == 0 || own <= shape.InFlight) {
		shape.InFlight, r.patient = own, true
	}
	system := loopback.Notes{}
	if record.Notes.Came != nil {
		// When the schedule began, since the epoch of the system's notes.
		begin := time.Duration(loopback.WallOf(w.start) - record.Wall)
		system, r.system, r.began = record.Notes.Since(begin), &w.scenario.System, record.Began-begin
	}
	since := func(j *loopback.Journal) loopback.Notes { return j.Notes().Since(w.start.Sub(j.Epoch())) }
	r.join(since(w.station.asked), since(w.station.handed), since(w.station.failed), system, w.ops)
	return r
}

// check makes the rows and judges them. Doubt is why what should have been measured
// did not happen; "" if it did.
func (r *run) check(scenario string, ideal prediction, doubt string, more ...Row) Check {
	c := Check{Scenario: scenario, Mode: Scenario{Cell: r.cell}.Mode(), Cell: r.result, HiccupNS: hiccup(r.result)}
	for i := range r.messages {
		if m := &r.messages[i]; m.came > 0 && m.handed > 0 {
			c.ThereNS, c.BackNS = max(c.ThereNS, int64(m.came-m.asked)), max(c.BackNS, int64(m.handed-m.left))
		}
	}
	c.judge(slices.Concat(r.counts(ideal), r.inspect(), r.recorded(), r.distributions(ideal), more), doubt)
	return c
}
