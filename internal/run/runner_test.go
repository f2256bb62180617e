package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func TestATargetThatIsDownDoesNotStopTheOthers(t *testing.T) {
	p := plan.Plan{
		Targets:  []plan.Target{{Name: "down", URL: "x://h"}, {Name: "up", URL: "loopback:"}},
		Shapes:   []plan.Shape{{Rate: 100, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: 50 * ms, Timeout: time.Second},
	}
	store := newStore(t)
	open := func(t plan.Target, _ string) (requester.Factory, error) {
		up, err := loopback.New(loopback.Config{})
		if t.URL == "x://h" {
			return down{up}, err
		}
		return up, err
	}
	run, cells, _, err := Runner{Open: open, Store: store}.Run(t.Context(), p)
	if !errors.Is(err, errDown) || len(cells) != 1 || cells[0].Plan.Target.Name != "up" {
		t.Errorf("%d cells, %v", len(cells), err)
	}
	if run.Cells[0].Error != errDown.Error() || run.Cells[1].Verdict != cells[0].Verdict || run.Interrupted {
		t.Errorf("entries %+v", run.Cells)
	}
	if stored, err := store.Run(); err != nil || len(stored.Cells) != 2 || stored.Finished.IsZero() {
		t.Errorf("run.json: %+v, %v", stored, err)
	}
}

// The folder of a cell is created once the disk has room for it.
func TestTheFolderOfACellWaitsForRoom(t *testing.T) {
	store := newStore(t)
	cells := filepath.Join(store.Dir(), results.CellsFolder)
	if err := os.WriteFile(cells, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := Runner{
		Store: store,
		Room: func(_ context.Context, dir string, write func() error) error {
			if err := write(); err == nil || dir != store.Dir() {
				t.Errorf("%s: %v", dir, err)
			}
			if err := os.Remove(cells); err != nil {
				t.Fatal(err)
			}
			return write()
		},
		Agents: func(_ context.Context, cell plan.Cell, folder *results.CellFolder, _ *CellDriver) (*results.Cell, error) {
			_, err := os.Stat(folder.Dir())
			return &results.Cell{Plan: cell}, err
		},
	}
	if _, err := r.onAgents(t.Context(), cellOf(100, second)); err != nil {
		t.Error(err)
	}
}
