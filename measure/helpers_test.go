package measure

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

const ms = time.Millisecond

// cellOf returns a cell with a warm-up of a second.
func cellOf(rate schedule.Rate, window time.Duration) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: "loopback", URL: "loopback:"},
		Shape:    plan.Shape{Rate: rate, Size: 64, Connections: 1},
		Settings: plan.Settings{Duration: window, Warmup: time.Second, Timeout: 5 * time.Second},
	}
}

// virtual measures and judges a cell on a loopback in virtual time.
func virtual(t *testing.T, system loopback.Config, cell plan.Cell, o Options) *results.Cell {
	t.Helper()
	return virtually(t, system, cell, o, judged)
}

// virtually calls measure in virtual time.
func virtually(t *testing.T, system loopback.Config, cell plan.Cell, o Options, measure func(context.Context, requester.Factory, plan.Cell, Options) (*results.Cell, error)) *results.Cell {
	t.Helper()
	f, err := loopback.New(system)
	if err != nil {
		t.Fatal(err)
	}
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		o.NewWaiter = load.SleepWaiter
		if c, err = measure(t.Context(), f, cell, o); err != nil {
			t.Fatal(err)
		}
	})
	return c
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

// readLog reads the interval log of a cell.
func readLog(t *testing.T, folder *results.CellFolder) histogram.Log {
	t.Helper()
	f, err := folder.OpenIntervals()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := histogram.ReadLog(f)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// wantLog wants the interval log to hold so many values of each tag.
func wantLog(t *testing.T, folder *results.CellFolder, want map[string]int64) {
	t.Helper()
	got := make(map[string]int64)
	for _, e := range readLog(t, folder).Entries {
		got[e.Tag] += e.Histogram.Count()
	}
	for tag, n := range want {
		if got[tag] != n {
			t.Errorf("log has %d values of %s, want %d (all: %v)", got[tag], tag, n, got)
		}
	}
}

// judged is Cell with a verdict.
func judged(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) (*results.Cell, error) {
	part, err := cell.Part(o.Part)
	if err != nil {
		return nil, err
	}
	o.Analysis = verdicts{judge.New(part, judge.Here(false), nil)}
	return Cell(ctx, f, cell, o)
}

type verdicts struct{ *judge.Analysis }

func (v verdicts) Finish(c *results.Cell, raw Raw) error {
	v.Describe(c, max(raw.DueTill-c.Plan.Settings.Warmup, 0))
	v.Judge(c)
	return nil
}

// openIntervals returns the intervals of a cell that is judged.
func openIntervals(o Options, cell plan.Cell) (*intervals, error) {
	o.Analysis = verdicts{judge.New(cell, judge.Here(false), nil)}
	return newIntervals(context.Background(), newSession(nil, cell, cell, o))
}
