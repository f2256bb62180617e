package merge

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// counted is a Central that counts what is added.
type counted struct{ parts, finished int }

func (c *counted) AddPart([]byte, string, int, int) error { c.parts++; return nil }
func (*counted) Counts() *judge.SLOCounts                 { return nil }
func (c *counted) Finish(*results.Cell, measure.Raw)      { c.finished++ }

// A file that cannot be written is written again until it can, and nothing is added up twice. Until
// then the cell has no result, and the run can be resumed.
func TestWhatCannotBeWrittenIsWrittenAgain(t *testing.T) {
	cell := shared(schedule.Constant)
	system := loopback.Config{Delay: time.Millisecond}
	parts := agentsOf(t, cell, system, system)
	for _, name := range []string{results.IntervalsFile, results.ResponseFile, results.CellFile} {
		folder, central := newFolder(t, "cell"), new(counted)
		blocked := filepath.Join(folder.Dir(), name)
		if err := os.MkdirAll(filepath.Join(blocked, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		failures := 0
		write := func(f func() error) (err error) {
			for err = f(); err != nil && failures < 3; err = f() {
				if _, err := folder.Read(); err == nil {
					t.Errorf("%s: the cell has a result before all is written", name)
				}
				if failures++; failures < 2 {
					continue
				}
				if err := os.RemoveAll(blocked); err != nil {
					t.Error(err)
				}
			}
			return err
		}
		c, err := Cell(cell, time.Now(), parts, Options{Folder: folder, Central: central, Write: write})
		if err != nil || failures != 2 || c.Ledger.Check() != nil || c.Ledger.Done == 0 || *central != (counted{2, 1}) {
			t.Errorf("%s: %v after %d failures, %+v", name, err, failures, *central)
		}
		if _, err := folder.Read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	never, errFull := newFolder(t, "cell"), errors.New("full")
	_, err := Cell(cell, time.Now(), parts, Options{Folder: never, Write: func(func() error) error { return errFull }})
	if _, read := never.Read(); !errors.Is(err, errFull) || read == nil {
		t.Errorf("%v; the result: %v", err, read)
	}
}
