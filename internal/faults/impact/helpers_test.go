package impact

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A scripted injector says what it is told to say, and breaks nothing.
type scripted struct {
	faults []results.Fault
	healed time.Time
}

func (s *scripted) Ready(context.Context) {}

func (s *scripted) Begin(requester.Factory, time.Time, time.Duration) {}

func (s *scripted) Heal(context.Context) []results.Fault {
	s.healed = time.Now()
	return s.faults
}

// killsAt plans faults at offsets of the window, each healed after 2 s.
func killsAt(offsets ...time.Duration) (planned []plan.Fault) {
	for _, at := range offsets {
		planned = append(planned, plan.Fault{At: at, Do: plan.Kill, Node: plan.Leader})
	}
	return planned
}

// brokenCell measures a cell with a warm-up of 1 s in virtual time. The injector does all that is planned when it is
// planned.
func brokenCell(t *testing.T, w *wire, cell plan.Cell) *results.Cell {
	t.Helper()
	var b scripted
	for _, p := range cell.Settings.Faults {
		began := int64(cell.Settings.Warmup + p.At)
		if p.Do != plan.ConsumerPause {
			b.faults = append(b.faults, results.Fault{Plan: p, BeganNS: began, BrokenNS: began + 1e6, HealedNS: new(began + 2e9)})
		}
	}
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = measured(t.Context(), w, cell, Options{Injector: &b}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour) // what was left behind ends
	})
	wantWhole(t, c)
	return c
}

// wantWhole wants the parts of the faults to add up.
func wantWhole(t *testing.T, c *results.Cell) {
	t.Helper()
	lost, shared, audited := int64(0), int64(0), false
	for i, f := range c.Faults {
		h := f.Impact
		if h == nil {
			continue
		}
		if h.Due != h.Done+h.Failed+h.Lost || h.Due < 0 || h.Lost < 0 || h.Acked > h.Due {
			t.Errorf("fault %d: %+v does not add up", i, *h)
		}
		if h.AckedLost != nil {
			lost, audited = lost+*h.AckedLost-h.AckedLostOneOf, true
			shared = max(shared, h.AckedLostOneOf)
		}
	}
	if c.Audit != nil && c.Audit.Error == "" && audited && lost+shared != c.Audit.Missing {
		t.Errorf("%d acknowledged and lost in the faults, %d in the audit", lost+shared, c.Audit.Missing)
	}
}

func brokenAt(rate schedule.Rate, window time.Duration, faults ...time.Duration) plan.Cell {
	cell := cellOf(rate, window)
	cell.Settings.Faults = killsAt(faults...)
	return cell
}

const second = time.Second

// wantFor wants a duration within a few milliseconds.
func wantFor(t *testing.T, what string, ns int64, want time.Duration) {
	t.Helper()
	if got := time.Duration(ns); math.Abs(float64(got-want)) > float64(5*ms) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// measured measures a cell in virtual time, with its faults, and has it judged.
func measured(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) (*results.Cell, error) {
	return measuredWith(ctx, f, cell, o, measure.Options{GiveUp: o.GiveUp, Redact: o.Redact})
}

func measuredWith(ctx context.Context, f requester.Factory, cell plan.Cell, o Options, m measure.Options) (*results.Cell, error) {
	part, err := cell.Part(m.Part)
	if err != nil {
		return nil, err
	}
	a, settled := &judged{Analysis: judge.New(part, judge.Environment{OS: "linux"}, nil), folder: m.Folder}, m.Settled
	m.NewWaiter, m.Analysis = load.SleepWaiter, a
	if len(cell.Settings.Faults) > 0 {
		d := New(part, o)
		a.driver, m.Record, m.Wrap, m.Ended = d, d.Recorder(), d.Wrap, d.Ended
		m.Ready = func(ctx context.Context) (time.Time, error) { d.Ready(ctx); return time.Time{}, nil }
		m.Started = func(start time.Time) { d.Begin(f, start) }
		m.Settled = func() {
			d.Heal()
			if settled != nil {
				settled()
			}
		}
	}
	return measure.Cell(ctx, f, cell, m)
}

// judged is the analysis of a cell with its faults.
type judged struct {
	*judge.Analysis

	driver *Driver // nil: there are no faults
	folder *results.CellFolder
}

func (a *judged) Finish(c *results.Cell, raw measure.Raw) (err error) {
	switch {
	case a.driver == nil:
	case a.driver.o.Part:
		err = a.driver.Save(a.folder, raw.Lost)
	default:
		a.driver.Assess(c, raw.Outcome, raw.Lost)
	}
	a.Describe(c, max(raw.DueTill-c.Plan.Settings.Warmup, 0))
	a.Judge(c)
	return err
}

const ms = time.Millisecond

// cellOf returns a cell with a warm-up of a second.
func cellOf(rate schedule.Rate, window time.Duration) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: "wire", URL: "wire:"},
		Shape:    plan.Shape{Rate: rate, Size: 64, Connections: 1},
		Settings: plan.Settings{Duration: window, Warmup: time.Second, Timeout: 5 * time.Second},
	}
}

// made is what an injector reports that did all that is planned when it was planned.
func made(cell plan.Cell) (list []results.Fault) {
	for _, p := range cell.Settings.Faults {
		began := int64(cell.Settings.Warmup + p.At)
		list = append(list, results.Fault{Plan: p, BeganNS: began, BrokenNS: began + 1e6, HealedNS: new(began + 2e9)})
	}
	return list
}
