package run

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A serial server at 110 % of its capacity: what is done after the window is in its last
// second.
func TestCountingWhatBreaksObjectives(t *testing.T) {
	cell := plan.Cell{
		Target:   plan.Target{Name: "serial", URL: "loopback:"},
		Shape:    plan.Shape{Rate: schedule.Rate(1100), Size: 16, Connections: 1, InFlight: 1, Arrivals: schedule.Constant},
		Settings: plan.Settings{Duration: 5 * time.Second, Timeout: 5 * time.Second, Seed: 1},
	}
	for _, text := range []string{"p99<200ms", "service.p50<1s", "loss<1%", "max<=1h"} {
		o, err := plan.ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		cell.SLOs = append(cell.SLOs, o)
	}
	var c *results.Cell
	var w *judge.SLOCounts
	synctest.Test(t, func(t *testing.T) {
		runner := Runner{NewWaiter: load.SleepWaiter, Open: func(plan.Target, string) (requester.Factory, error) {
			return loopback.New(loopback.Config{Delay: time.Millisecond})
		}}
		session, err := runner.Start(plan.Plan{
			Name: "watched", Targets: []plan.Target{cell.Target}, Shapes: []plan.Shape{cell.Shape}, Settings: cell.Settings,
		})
		if err != nil {
			t.Fatal(err)
		}
		if c, w, err = session.Count(t.Context(), cell); err != nil {
			t.Fatal(err)
		}
	})
	if len(w.Seconds) != 4 || w.Seconds[2] != nil || w.Values[2] != nil || len(w.Seconds[0]) != 5 {
		t.Fatalf("%+v", w)
	}
	var over, all int64
	for i, s := range w.Seconds[0] {
		if over, all = over+s.Over, all+s.Of; (s.Over > 0) != (i >= 2) || s.Worst < time.Duration(i)*90*time.Millisecond {
			t.Errorf("second %d: %+v", i, s)
		}
	}
	// The n-th message takes 1 ms + n/11 ms: from the 2,190th on more than 200 ms, by three digits.
	if all != c.Ledger.Done || over < all-2200 || over > all-2180 {
		t.Errorf("%d of %d messages are over 200 ms, of %d that are done", over, all, c.Ledger.Done)
	}
	for _, i := range []int{1, 3} {
		for _, s := range w.Seconds[i] {
			if s.Over > 0 {
				t.Errorf("%v: %+v", cell.SLOs[i], s)
			}
		}
	}
	if w.Values[0].Count() != all || w.Values[0].Max() != time.Duration(c.Response.MaxNS) || w.Values[1].Max() >= w.Values[0].Max() {
		t.Errorf("the histograms hold %d and %d values", w.Values[0].Count(), w.Values[1].Count())
	}
}
