package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunWritesItsReport(t *testing.T) {
	dir := measured(t)
	text, err := os.ReadFile(filepath.Join(dir, reportFile))
	if err != nil || !strings.Contains(string(text), `id="cell-0"`) {
		t.Errorf("%d bytes of report: %v", len(text), err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
		t.Errorf("temporary files are left: %v", files)
	}
	without := measured(t, "--report=off")
	if _, err := os.Stat(filepath.Join(without, reportFile)); err == nil {
		t.Error("--report=off writes one")
	}
}

func TestReport(t *testing.T) {
	a := measured(t, "--report=off", "--name", "before")
	b := measured(t, "--report=off", "--name", "after")
	path := filepath.Join(t.TempDir(), "both.html")
	code, _, stderr := command("report", a, b, "-o", path)
	wantCode(t, code, exitGood, stderr, path)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "<title>brokerbench: before, after</title>") {
		t.Errorf("%d bytes of report: %v", len(text), err)
	}
	if code, stdout, _ := command("report", a, b, "-o", "-"); code != exitGood || stdout != string(text) {
		t.Errorf("on standard output: exit code %d, %d bytes, %d in the file", code, len(stdout), len(text))
	}
}

// A report that is there already is not replaced, by its default name either.
func TestReportDoesNotReplaceOne(t *testing.T) {
	dir := measured(t, "--report=off")
	t.Chdir(t.TempDir())
	code, _, stderr := command("report", dir)
	wantCode(t, code, exitGood, stderr, "report: "+reportFile)
	code, _, stderr = command("report", dir)
	wantCode(t, code, exitUsage, stderr, "--output "+reportFile+": the file exists: name another, or add --force to replace it")
	wantOneLine(t, stderr)
	code, _, stderr = command("report", dir, "--force")
	wantCode(t, code, exitGood, stderr)
}
