package measure

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A scripted breaker says what it is told to say, and breaks nothing.
type scripted struct {
	faults []results.Fault
	healed time.Time
}

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

// brokenCell measures a cell with a warm-up of 1 s in virtual time. The breaker does all that is planned when it is
// planned.
func brokenCell(t *testing.T, w *wire, cell plan.Cell) *results.Cell {
	t.Helper()
	var b scripted
	for _, p := range cell.Settings.Faults {
		began := int64(cell.Settings.Warmup + p.At)
		if p.Do != plan.Fall {
			b.faults = append(b.faults, results.Fault{Plan: p, BeganNS: began, BrokenNS: began + 1e6, HealedNS: new(began + 2e9)})
		}
	}
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = Cell(t.Context(), w, cell, Options{newWaiter: load.SleepWaiter, Breaker: &b}); err != nil {
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
	lost, audited := int64(0), false
	for i, f := range c.Faults {
		h := f.Harm
		if h == nil {
			continue
		}
		if h.Due != h.Done+h.Failed+h.Lost || h.Due < 0 || h.Lost < 0 || h.Acked > h.Due {
			t.Errorf("fault %d: %+v does not add up", i, *h)
		}
		if h.AckedLost != nil {
			lost, audited = lost+*h.AckedLost, true
		}
	}
	if c.Audit != nil && c.Audit.Error == "" && audited && lost != c.Audit.Missing {
		t.Errorf("%d acknowledged and lost in the faults, %d in the audit", lost, c.Audit.Missing)
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
