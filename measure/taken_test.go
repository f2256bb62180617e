package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A coordinator that was displaced ends: it measures no other cell, and leaves the run's file
// to who has gone on with the run.
func TestARunThatWasTakenIsLeftAsItIs(t *testing.T) {
	p := plan.Plan{
		Name: "taken", Targets: []plan.Target{{Name: "loopback", URL: "loopback:"}},
		Shapes:   []plan.Shape{{Rate: 10, Size: 64, Connections: 1}, {Rate: 20, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: time.Second, Timeout: time.Second}, Repeat: 1,
	}
	for name, measures := range map[string]func(Runner) (results.Run, error){
		"run": func(r Runner) (results.Run, error) {
			run, _, _, err := r.Run(t.Context(), p)
			return run, err
		},
		"resume": func(r Runner) (results.Run, error) {
			began := results.Run{ID: "run", Cells: []results.Entry{{ID: p.Cells()[0].ID()}, {ID: p.Cells()[1].ID()}}}
			run, _, _, err := r.Resume(t.Context(), began, p)
			return run, err
		},
		"session": func(r Runner) (results.Run, error) {
			s, err := r.Start(p)
			if err != nil {
				return results.Run{}, err
			}
			for range 2 {
				if _, err := s.Measure(t.Context(), p.Cells()[0]); !errors.Is(err, ErrTaken) {
					t.Error(err)
				}
			}
			_, _, err = s.End(t.Context())
			return results.Run{}, err
		},
	} {
		store, asked := newStore(t), 0
		file, others := filepath.Join(store.Dir(), results.RunFile), []byte(`{"id":"the other's"}`)
		run, err := measures(Runner{Store: store, Agents: func(context.Context, plan.Cell, string, *results.CellFolder, *Attendant) ([]Part, time.Time, error) {
			asked++
			if err := os.WriteFile(file, others, 0o600); err != nil {
				t.Error(err)
			}
			return nil, time.Time{}, fmt.Errorf("measuring: %w", ErrTaken)
		}})
		after, _ := os.ReadFile(file)
		if !errors.Is(err, ErrTaken) || asked != 1 || run.ID != "" || !bytes.Equal(after, others) {
			t.Errorf("%s: %v; %d cells were asked for, want 1; run %q; run.json is %s", name, err, asked, run.ID, after)
		}
	}
}
