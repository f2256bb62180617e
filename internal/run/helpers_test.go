package run

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// cellOf returns a cell with a warm-up of a second.
func cellOf(rate schedule.Rate, window time.Duration) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: "loopback", URL: "loopback:"},
		Shape:    plan.Shape{Rate: rate, Size: 64, Connections: 1},
		Settings: plan.Settings{Duration: window, Warmup: time.Second, Timeout: 5 * time.Second},
	}
}

// virtual measures a cell on a loopback in virtual time.
func virtual(t *testing.T, system loopback.Config, cell plan.Cell, o Options) *results.Cell {
	t.Helper()
	f, err := loopback.New(system)
	if err != nil {
		t.Fatal(err)
	}
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		o.NewWaiter = load.SleepWaiter
		if c, err = Cell(t.Context(), f, cell, o); err != nil {
			t.Fatal(err)
		}
	})
	return c
}

// inBubble calls f in virtual time, and returns how long it took.
func inBubble(t *testing.T, f func()) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		start := time.Now()
		f()
		took = time.Since(start)
	})
	return took
}

// wantNear wants a percentile of response within the histogram's 0.1 %.
func wantNear(t *testing.T, d results.Distribution, percentile float64, want time.Duration) {
	t.Helper()
	row, ok := d.At(percentile)
	got, known := row.Value()
	if !ok || !known || math.Abs(float64(got-want)) > 0.001*float64(want) {
		t.Errorf("p%v = %v (known %v), want %v within 0.1 %%", percentile, got, known, want)
	}
}

// newStore returns a store in a folder of the test.
func newStore(t *testing.T) *results.Store {
	t.Helper()
	store, err := results.Create(t.TempDir(), "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// newFolder returns the folder of a cell in a store.
func newFolder(t *testing.T, store *results.Store, id string) *results.CellFolder {
	t.Helper()
	folder, err := store.CreateCell(id)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

var virtually = Options{Options: measure.Options{NewWaiter: load.SleepWaiter}}

// down is a factory whose target cannot be described.
type down struct{ requester.Factory }

var errDown = errors.New("x://h: connecting: refused")

func (down) Describe(context.Context) (requester.Description, error) {
	return requester.Description{}, errDown
}
