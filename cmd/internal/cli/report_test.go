package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

func TestRunWritesItsReport(t *testing.T) {
	t.Parallel()
	dir := measured(t)
	text, err := os.ReadFile(filepath.Join(dir, analysis.ReportFile))
	if err != nil || !strings.Contains(string(text), `id="cell-0"`) {
		t.Errorf("%d bytes of report: %v", len(text), err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
		t.Errorf("temporary files are left: %v", files)
	}
	without := measured(t, "--report=off")
	if _, err := os.Stat(filepath.Join(without, analysis.ReportFile)); err == nil {
		t.Error("--report=off writes one")
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	a := measured(t, "--report=off", "--name", "before")
	b := measured(t, "--report=off", "--name", "after")
	path := filepath.Join(t.TempDir(), "both.html")
	code, _, stderr := invoke("report", a, b, "-o", path)
	wantCode(t, code, command.ExitGood, stderr, path)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "<title>brokerbench: before, after</title>") {
		t.Errorf("%d bytes of report: %v", len(text), err)
	}
	if code, stdout, _ := invoke("report", a, b, "-o", "-"); code != command.ExitGood || stdout != string(text) {
		t.Errorf("on standard output: exit code %d, %d bytes, %d in the file", code, len(stdout), len(text))
	}
}

// A page that report wrote without -o is replaced, and nothing else.
func TestReportReplacesItsOwnPage(t *testing.T) {
	dir := measured(t, "--report=off")
	t.Chdir(t.TempDir())
	for range 2 {
		code, _, stderr := invoke("report", dir)
		wantCode(t, code, command.ExitGood, stderr, "report: "+analysis.ReportFile)
	}
	code, _, stderr := invoke("report", dir, "-o", analysis.ReportFile)
	wantCode(t, code, command.ExitUsage, stderr, "the file exists")
	if err := os.WriteFile(analysis.ReportFile, []byte("<!doctype html><title>mine</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = invoke("report", dir)
	wantCode(t, code, command.ExitUsage, stderr, "--output "+analysis.ReportFile+": the file exists: name another, or add --force to replace it")
	wantOneLine(t, stderr)
	code, _, stderr = invoke("report", dir, "--force")
	wantCode(t, code, command.ExitGood, stderr)
}
