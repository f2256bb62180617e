package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// measuredRun runs a short plan and returns the folder of the run.
func measuredRun(t *testing.T, args ...string) (dir, stderr string) {
	t.Helper()
	out := t.TempDir()
	args = append([]string{
		"run", "loopback:?delay=1ms", "--out", out, "--floor", "off", "--quiet",
		"--rate", "200", "--duration", "1s", "--warmup", "0s", "--timeout", "1s", "--percentiles", "50",
	}, args...)
	code, _, stderr := command(args...)
	wantCode(t, code, exitGood, stderr)
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	return dirs[0], stderr
}

func TestRunWritesItsReport(t *testing.T) {
	dir, _ := measuredRun(t)
	text, err := os.ReadFile(filepath.Join(dir, reportFile))
	if err != nil || !strings.Contains(string(text), `id="cell-0"`) {
		t.Errorf("%d bytes of report: %v", len(text), err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
		t.Errorf("temporary files are left: %v", files)
	}
	without, _ := measuredRun(t, "--report=off")
	if _, err := os.Stat(filepath.Join(without, reportFile)); err == nil {
		t.Error("--report=off writes one")
	}
}

func TestReport(t *testing.T) {
	a, _ := measuredRun(t, "--report=off", "--name", "before")
	b, _ := measuredRun(t, "--report=off", "--name", "after")
	path := filepath.Join(t.TempDir(), "both.html")
	for range 2 { // the second replaces the first
		code, _, stderr := command("report", a, b, "-o", path)
		wantCode(t, code, exitGood, stderr, path)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "<title>brokerbench: before, after</title>") {
		t.Errorf("%d bytes of report: %v", len(text), err)
	}
	if code, stdout, _ := command("report", a, b, "-o", "-"); code != exitGood || stdout != string(text) {
		t.Errorf("on standard output: exit code %d, %d bytes, %d in the file", code, len(stdout), len(text))
	}
}

func TestReportSaysWhatIsWrong(t *testing.T) {
	dir, _ := measuredRun(t, "--report=off")
	empty := t.TempDir()
	for _, tt := range []struct {
		code int
		args []string
		says string
	}{
		{exitUsage, []string{"report"}, "want the folder of a run"},
		{exitUsage, []string{"report", dir, "--format", "mdd"}, `--format "mdd": want html, table, json, csv or md (did you mean "md"?)`},
		{exitUsage, []string{"report", dir, dir, "--format", "md"}, "want one folder"},
		{exitUsage, []string{"report", dir, "--format", "csv", "-o", "x"}, "no --output"},
		{exitUsage, []string{"run", "--report", "maybe"}, `--report "maybe": want on or off`},
		{exitError, []string{"report", empty}, empty + " is not the folder of a run"},
		{exitError, []string{"report", dir, "-o", filepath.Join(empty, "no", "r.html")}, "r.html: no such file"},
	} {
		code, _, stderr := command(tt.args...)
		wantCode(t, code, tt.code, stderr, tt.says)
	}
}
