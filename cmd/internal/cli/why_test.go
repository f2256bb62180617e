package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/results"
)

// why reads a run, or one of its cells; without samples there is an error of one line.
func TestWhy(t *testing.T) {
	dir := measured(t)
	type answer struct {
		Cells []struct {
			Cell    string `json:"cell"`
			Verdict string `json:"verdict"`
		} `json:"cells"`
	}
	code, stdout, stderr := invoke("why", dir, "--format", "json")
	wantCode(t, code, command.ExitGood, stderr)
	got := decode[answer](t, stdout)
	if len(got.Cells) != 2 || got.Cells[0].Verdict != cause.Undecided {
		t.Fatalf("got %+v", got)
	}
	id := got.Cells[0].Cell
	for _, path := range []string{filepath.Join(dir, id), filepath.Join(dir, results.CellsFolder, id) + "/"} {
		code, stdout, stderr := invoke("why", path, "--format", "json")
		wantCode(t, code, command.ExitGood, stderr)
		if one := decode[answer](t, stdout); len(one.Cells) != 1 || one.Cells[0].Cell != id {
			t.Errorf("%s: got %+v", path, one)
		}
	}

	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "none", "of", "them"), t.TempDir()} {
		code, _, stderr := invoke("why", path)
		wantCode(t, code, command.ExitError, stderr, filepath.Base(path))
		wantOneLine(t, stderr)
	}
	old := copied(t, dir, t.TempDir())
	for _, cell := range got.Cells {
		if err := os.Remove(filepath.Join(old, results.CellsFolder, cell.Cell, cause.File)); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr = invoke("why", old)
	wantCode(t, code, command.ExitError, stderr, "were not sampled", "measure it again")
	wantOneLine(t, stderr)
	code, _, stderr = invoke("why", filepath.Join(old, id))
	wantCode(t, code, command.ExitError, stderr, "were not sampled")
}
