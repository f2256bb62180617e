package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func TestAFloorIsAsLongAsItsPercentilesNeed(t *testing.T) {
	cell := cellOf(1000, 10*time.Second)
	echo, err := loopback.New(loopback.Config{Delay: 3 * ms})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f, err := floor(t.Context(), cell, echo, virtually)
		if err != nil {
			t.Fatal(err)
		}
		// p99.9 needs 10,000 messages, but a floor takes no more than a fifth of the window.
		if f.Echo.Response.Count != 2000 || f.Noop.Response.Count != 250 {
			t.Errorf("%d and %d messages, want those of 2 s and of 250 ms", f.Echo.Response.Count, f.Noop.Response.Count)
		}
		wantNear(t, f.Echo.Response, 99, 3*ms)
		row, _ := f.Noop.Response.At(99)
		if v, _ := row.Value(); v != 0 {
			t.Errorf("no-op p99 = %v, want 0", v)
		}
	})
}

func TestFloorOfABrokenEcho(t *testing.T) {
	broken := requester.BlockingFactory(func(int) (requester.Do, func() error, error) {
		return nil, nil, errors.New("too many open files")
	})
	_, err := Floor(t.Context(), cellOf(1000, time.Second), broken)
	if err == nil || !strings.Contains(err.Error(), "floor of 64 B at 1,000/s: TCP echo: ") {
		t.Errorf("Floor: %v", err)
	}
}

// A floor is measured before each cell. One that cannot be measured is an error, and the
// cells are measured all the same, without.
func TestRunnerMeasuresAFloorBeforeEachCell(t *testing.T) {
	p := repeated(2)
	p.Shapes = append(p.Shapes, plan.Shape{Rate: 200, Size: 64, Connections: 1})
	p.Settings.Duration, p.Settings.Floor = 100*ms, true
	var asked []schedule.Rate
	r := Runner{
		Open: func(plan.Target, string) (requester.Factory, error) { return loopback.New(loopback.Config{}) },
		Floor: func(_ context.Context, cell plan.Cell) (*results.Floor, error) {
			asked = append(asked, cell.Shape.Rate)
			if cell.Shape.Rate == 200 {
				return nil, errors.New("no echo")
			}
			return &results.Floor{Echo: results.FloorRun{ReachedPerS: 100}}, nil
		},
	}
	_, cells, _, err := r.Run(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "no echo (leave it out with --floor=off)") {
		t.Errorf("Run: %v", err)
	}
	failed := slices.Index(asked, 200)
	if len(cells) != 8 || failed != len(asked)-1 {
		t.Fatalf("%d cells, floors of %v; want 8, and none after the one that failed", len(cells), asked)
	}
	for i, c := range cells {
		if (c.Floor != nil) != (i < failed) {
			t.Errorf("%s: floor %+v", c.ID, c.Floor)
		}
	}
}
