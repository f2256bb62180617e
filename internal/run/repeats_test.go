package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// slower opens loopbacks that get slower with every cell that is opened: the n-th
// takes n ms. Of a target whose URL says so it drops replies.
func slower(n *int) func(t plan.Target, run string) (requester.Factory, error) {
	return func(t plan.Target, _ string) (requester.Factory, error) {
		*n++
		system := loopback.Config{Delay: time.Duration(*n) * ms}
		if strings.Contains(t.URL, "lossy") {
			system.Drop = 0.5
		}
		return loopback.New(system)
	}
}

// repeated returns a plan of two targets and a shape.
func repeated(repeat int) plan.Plan {
	return plan.Plan{
		Targets:  []plan.Target{{Name: "a", URL: "loopback:"}, {Name: "b", URL: "loopback:lossy"}},
		Shapes:   []plan.Shape{{Rate: 100, Size: 64, Connections: 1}},
		Settings: plan.Settings{Percentiles: []float64{50}, Duration: 2 * time.Second, Timeout: time.Second, Seed: 1},
		Repeat:   repeat,
	}
}

// run measures a plan in virtual time, until it is interrupted.
func run(t *testing.T, r Runner, p plan.Plan, until time.Duration) (run results.Run, cells []*results.Cell, summaries []*results.Summary, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), until)
		defer cancel()
		r.NewWaiter = load.SleepWaiter
		run, cells, summaries, err = r.Run(ctx, p)
	})
	return run, cells, summaries, err
}

func TestRepeatsAreSummedUp(t *testing.T) {
	store := newStore(t)
	_, cells, summaries, err := run(t, Runner{Open: slower(new(int)), Store: store}, repeated(3), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if len(cells) != 6 || len(summaries) != 2 || summaries[0].ID != "a-100-64B-c1-fopen" || summaries[1].ID != "b-100-64B-c1-fopen" {
		t.Fatalf("%d cells, summaries %+v", len(cells), summaries)
	}
	wantSummary(t, store, summaries[0], cells)
	wantSummary(t, store, summaries[1], cells)
	if s := summaries[0]; s.Verdict != results.Valid || s.Ledger != (results.Ledger{Due: 600, Done: 600}) {
		t.Errorf("%s: %s, %+v", s.ID, s.Verdict, s.Ledger)
	}
	// Only p50 was asked for, and just half are lost: it is known, and nothing was slow.
	if s := summaries[1]; s.Verdict != results.Suspect || s.Ledger != (results.Ledger{Due: 600, Done: 300, Lost: 300}) {
		t.Errorf("%s: %s, %+v", s.ID, s.Verdict, s.Ledger)
	}
	if p99, _ := summaries[1].Spread(99); p99.MinNS != nil || p99.MergedNS != nil {
		t.Errorf("half of the ops of b are lost, but its p99 is %+v", p99)
	}
}

// wantSummary wants what a summary says of p50 to be what its cells say, and its
// files to be there.
func wantSummary(t *testing.T, store *results.Store, s *results.Summary, cells []*results.Cell) {
	t.Helper()
	var ids []string
	var values []time.Duration
	for _, c := range cells {
		if c.Plan.SharedID() != s.ID {
			continue
		}
		ids = append(ids, c.ID)
		p50, _ := c.Response.At(50)
		v, _ := p50.Value()
		values = append(values, v)
	}
	// Each cell is slower than the one before.
	p50, _ := s.Spread(50)
	if fmt.Sprint(ids) != fmt.Sprint(s.Cells) || *p50.MinNS != int64(values[0]) || *p50.MedianNS != int64(values[1]) || *p50.MaxNS != int64(values[2]) {
		t.Errorf("%s: cells %v with p50 %v, but it has %v and %+v", s.ID, ids, values, s.Cells, p50)
	}
	if stored, err := store.Summary(s.ID); err != nil || stored.Response.Count != s.Ledger.Done || stored.Response.Missing != s.Ledger.Missing() {
		t.Errorf("summary.json: %+v, %v; ledger %+v", stored, err, s.Ledger)
	}
	text, err := os.ReadFile(filepath.Join(store.Dir(), results.SummaryFolder, s.ID, results.MergedFile))
	if want := fmt.Sprintf("Total count    = %12d]", s.Ledger.Done); err != nil || !strings.Contains(string(text), want) {
		t.Errorf("merged.hgrm has no %q, %v", want, err)
	}
}

func TestWithoutRepeatsThereIsNoSummary(t *testing.T) {
	store := newStore(t)
	_, cells, summaries, err := run(t, Runner{Open: slower(new(int)), Store: store}, repeated(1), time.Hour)
	if err != nil || len(cells) != 2 || summaries != nil {
		t.Errorf("%d cells, summaries %v, %v", len(cells), summaries, err)
	}
	if _, err := os.Stat(filepath.Join(store.Dir(), results.SummaryFolder)); !os.IsNotExist(err) {
		t.Errorf("the folder of summaries: %v", err)
	}
}

// What was measured before an interruption is summed up.
func TestAnInterruptedRunIsSummedUp(t *testing.T) {
	store := newStore(t)
	p := repeated(3)
	p.Targets = p.Targets[:1]
	run, _, summaries, err := run(t, Runner{Open: slower(new(int)), Store: store}, p, 3*time.Second)
	if err != nil || !run.Interrupted || len(summaries) != 1 {
		t.Fatalf("interrupted %v, %d summaries, %v", run.Interrupted, len(summaries), err)
	}
	s := summaries[0]
	if len(s.Cells) != 2 || s.Verdict != results.Valid || s.Ledger.Due < 280 || s.Ledger.Due > 310 || s.Response.Count != s.Ledger.Done {
		t.Errorf("%+v", s)
	}
	if _, err := store.Summary("a-100-64B-c1-fopen"); err != nil {
		t.Error(err)
	}
}

// A repeat that was not measured is not in the summary; what cannot be written is
// an error beside it.
func TestASummaryThatCannotBeWritten(t *testing.T) {
	store := newStore(t)
	if err := os.WriteFile(filepath.Join(store.Dir(), results.SummaryFolder), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	open := func(t plan.Target, run string) (requester.Factory, error) {
		f, err := slower(&n)(t, run)
		if n == 2 {
			return down{f}, err
		}
		return f, err
	}
	p := repeated(2)
	p.Targets = p.Targets[:1]
	_, _, summaries, err := run(t, Runner{Open: open, Store: store}, p, time.Hour)
	if folder := filepath.Join(store.Dir(), results.SummaryFolder); !errors.Is(err, errDown) || !strings.Contains(err.Error(), folder) {
		t.Errorf("error %v, want it to name the folder, and why a repeat was not measured", err)
	}
	if len(summaries) != 1 || fmt.Sprint(summaries[0].Cells) != "[a-100-64B-c1-fopen-r1]" {
		t.Errorf("%+v", summaries)
	}
}
