package run

import (
	"context"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A run of a rate that changes has a cell for each section of each repeat, a summary of each
// section, and sources whose intervals are those of the section. Resuming it reads the same.
func TestSectionsOfARun(t *testing.T) {
	shape := plan.Shape{Rate: 300, Size: 64, Connections: 1, Changes: "step(100@5s,500@5s)"}
	p := plan.Plan{
		Name: "x", Targets: []plan.Target{{Name: "a", URL: "loopback:"}}, Shapes: []plan.Shape{shape}, Repeat: 2,
		Settings: plan.Settings{Duration: 30 * second, Warmup: second, Timeout: second},
	}
	store := newStore(t)
	r := Runner{Store: store, NewWaiter: load.SleepWaiter, Open: func(plan.Target, string) (requester.Factory, error) {
		// Requests of the second section take 20 ms, and those in its last moment come after it.
		return loopback.New(loopback.Config{Delay: ms, Slow: []loopback.Phase{{At: 6 * second, For: second * 5, Delay: 20 * ms}}})
	}}
	var described results.Run
	var cells []*results.Cell
	var summaries []*results.Summary
	took := inBubble(t, func() {
		var err error
		if described, cells, summaries, err = r.Run(context.Background(), p); err != nil {
			t.Fatal(err)
		}
	})
	if took < 22*second || took > 25*second || len(described.Cells) != 2 || len(cells) != 4 || len(summaries) != 2 {
		t.Fatalf("%v, %d entries, %d cells, %d summaries", took, len(described.Cells), len(cells), len(summaries))
	}
	for i, due := range []int64{500, 2500} {
		delay := []int64{int64(ms), int64(20 * ms)}[i]
		s := summaries[i]
		if s.Ledger != (results.Ledger{Due: 2 * due, Done: 2 * due}) || s.Response.MinNS != delay || s.Response.MaxNS != delay || len(s.Cells) != 2 {
			t.Errorf("summary %s: %+v, %d to %d ns", s.ID, s.Ledger, s.Response.MinNS, s.Response.MaxNS)
		}
	}
	read, err := store.Summaries(described)
	if err != nil || len(read) != 2 {
		t.Errorf("%d summaries are read: %v", len(read), err)
	}
	found, _, err := source.Find([]string{store.Dir()})
	if err != nil || len(found) != 4 {
		t.Fatalf("%d sources: %v", len(found), err)
	}
	for i, s := range found {
		counted := int64(0)
		_, err := s.Intervals(func(e histogram.Entry) error {
			if e.Tag == source.Response {
				counted += e.Histogram.Count()
			}
			return nil
		})
		table, tableErr := s.ReadTable(source.Response)
		if err != nil || tableErr != nil || counted != s.Cell.Ledger.Done || table.Count != counted || s.Cell.ID != cells[i].ID {
			t.Errorf("source %s: %d values in its log, %d in its table, %d done; %v, %v", s.Name(), counted, table.Count, s.Cell.Ledger.Done, err, tableErr)
		}
	}
	again, reread, err := Runner{Store: store}.restored(t, described, p)
	if err != nil || len(again) != 2 || !slices.EqualFunc(reread, cells, func(a, b *results.Cell) bool { return a.ID == b.ID && a.Ledger == b.Ledger }) {
		t.Errorf("%d entries and %d cells are restored: %v", len(again), len(reread), err)
	}
}

// restored reads all cells of a run again, as resuming it does, and adds up the repeats.
func (r Runner) restored(t *testing.T, described results.Run, p plan.Plan) (done []bool, cells []*results.Cell, err error) {
	t.Helper()
	r.repeats = newRepeats(p)
	s := &Session{runner: r, run: described}
	for i, cell := range p.Cells() {
		one, err := s.restore(i, cell)
		if err != nil {
			return nil, nil, err
		}
		done = append(done, one)
	}
	if n := len(r.repeats.merged); n != 2 {
		t.Errorf("%d histograms of repeats, want one of each section", n)
	}
	for id, h := range r.repeats.merged {
		if h.Count() != 1000 && h.Count() != 5000 {
			t.Errorf("%s has %d values", id, h.Count())
		}
	}
	return done, s.cells, nil
}
