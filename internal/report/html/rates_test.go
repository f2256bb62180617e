package html

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// The page has a row for each section, with its rate and time, and the whole window is none.
func TestSectionsAreRows(t *testing.T) {
	whole := &results.Cell{Ledger: results.Ledger{Due: 30, Done: 30}, Broker: results.Broker{Product: "x"}}
	whole.Plan = plan.Cell{
		Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 3, Size: 64, Connections: 1, Changes: "step(1@5s,5@5s)"},
		Settings: plan.Settings{Warmup: time.Second, Duration: 10 * time.Second},
	}
	for _, s := range whole.Plan.Sections() {
		sections.Keep(whole, &results.Cell{ID: s.ID(), Plan: s, Ledger: results.Ledger{Due: 5, Done: 5}})
	}
	d := newDocument()
	d.addRun(results.Run{}, "run")
	for _, c := range sections.Of(whole) {
		d.addCell(0, results.Entry{ID: c.ID}, c)
	}
	want := []string{"1/s in 0–5 s", "5/s in 5–10 s"}
	if len(d.Cells) != 2 || d.Cells[0].RateText != want[0] || d.Cells[1].RateText != want[1] || d.Cells[1].Broker != 0 || len(d.Brokers) != 1 {
		t.Errorf("%+v", d.Cells)
	}
	second := sections.Of(whole)[1].Plan
	for from, want := range map[time.Duration]float64{4: 0, 6: 5, 7: 5, 11: 0} { // from the start of the schedule
		if got := second.DueRate(from*time.Second, (from+1)*time.Second); got != want {
			t.Errorf("%v/s are due from %d s on, want %v", got, from, want)
		}
	}
}
