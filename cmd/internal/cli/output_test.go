package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// No output replaces what it was made from, or a file of a result.
func TestAnOutputReplacesNoResult(t *testing.T) {
	dir := measured(t)
	cell := filepath.Dir(firstOf(t, filepath.Join(dir, results.CellsFolder, "*", results.CellFile)))
	log := filepath.Join(cell, results.IntervalsFile)
	copied := filepath.Join(t.TempDir(), "copy.hlog")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file string
		args []string
	}{
		{filepath.Join(dir, results.RunFile), []string{"report", dir, "-o"}},
		{filepath.Join(cell, results.CellFile), []string{"report", dir, "-o"}},
		{log, []string{"merge", cell, "-o"}},
		{filepath.Join(cell, results.ResponseFile), []string{"merge", cell, "-o"}},
		{copied, []string{"merge", copied, "-o"}},
	} {
		before, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		code, _, stderr := command(append(tt.args, tt.file)...)
		wantCode(t, code, exitUsage, stderr, "another")
		if after, err := os.ReadFile(tt.file); err != nil || string(after) != string(before) {
			t.Errorf("%v changed %s (%v)", tt.args, tt.file, err)
		}
	}
	code, _, stderr := command("report", dir, "-o", filepath.Join(dir, reportFile))
	wantCode(t, code, exitGood, stderr)
}

func firstOf(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}
