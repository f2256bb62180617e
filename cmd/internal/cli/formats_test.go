package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
)

// A measured run can be written in every format.
func TestReportFormats(t *testing.T) {
	t.Parallel()
	dir := measured(t, "--report=off")
	for _, f := range exchange.Formats() {
		code, stdout, stderr := invoke("report", dir, "--format", string(f))
		if wantCode(t, code, command.ExitGood, stderr); !strings.Contains(strings.ToLower(stdout), "loopback") || strings.Contains(stdout, "files:") {
			t.Errorf("--format %s:\n%s", f, stdout)
		}
	}
	path := filepath.Join(t.TempDir(), "bmf.json")
	code, _, stderr := invoke("report", dir, "--format", "bmf", "-o", path)
	wantCode(t, code, command.ExitGood, stderr)
	var measures map[string]map[string]struct{ Value float64 }
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &measures) != nil || len(measures) != 2 {
		t.Errorf("%v: %s", err, text)
	}
	for cell, of := range measures { // the loopback replies after 1 ms
		if of["latency-p50"].Value < 1e6 || of["latency-max"].Value < of["latency-p50"].Value {
			t.Errorf("%s: %v", cell, of)
		}
	}
	code, _, stderr = invoke("report", dir, "--format", "bmf", "-o", "x.csv")
	wantCode(t, code, command.ExitUsage, stderr, "the name says csv")
}

func TestCompareFormats(t *testing.T) {
	t.Parallel()
	base, slow := written(t, 1, "1", "kafka"), written(t, 1.5, "1", "kafka")
	code, stdout, stderr := invoke("compare", base, slow, "--fail-on", "p99>10%", "--fail-on", "p99.99>10%", "--format", "junit")
	wantCode(t, code, command.ExitRegression, stderr, "p99>10% failed")
	wantTexts(t, stdout, `tests="2" failures="1" errors="0" skipped="1"`, `<testcase name="p99&gt;10%" classname="kafka, 1 KiB at 100/s">`)
	code, stdout, stderr = invoke("compare", base, slow, "--fail-on", "p99>10%", "--format", "github")
	wantCode(t, code, command.ExitRegression, stderr)
	wantTexts(t, stdout, "### Latency: 2 slower", "fail on p99&gt;10%: FAILED")
	for _, args := range [][]string{{base, slow}, {base}} {
		code, _, stderr = invoke(append([]string{"compare", "--format", "junit"}, args...)...)
		wantCode(t, code, command.ExitUsage, stderr, "--format junit")
		wantOneLine(t, stderr)
	}
}

// The result of turns fits into the summary of a job.
func TestABFormatGitHub(t *testing.T) {
	t.Parallel()
	code, _, stdout, stderr := byTurns(t, "--side", "loopback:", "--side", "loopback:?delay=1ms", "--pairs", "2", "--format", "github")
	if code != command.ExitInvalid { // a busy machine may spoil a window
		wantCode(t, code, command.ExitGood, stderr)
	}
	if wantTexts(t, stdout, "| answer", "A and B differ in", "p50"); strings.Count(stdout, "\n") > 60 || strings.Contains(stdout, "files:") {
		t.Errorf("%s", stdout)
	}
	code, _, _, stderr = byTurns(t, "--side", "loopback:", "--side", "loopback:", "--format", "junit")
	wantCode(t, code, command.ExitUsage, stderr, "want table, json, csv, md or github")
}
