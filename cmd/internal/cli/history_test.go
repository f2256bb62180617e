package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// nightly writes a folder of runs, the n-th with a median of ms(n).
func nightly(t *testing.T, runs int, ms func(n int) float64) string {
	t.Helper()
	out := t.TempDir()
	for n := range runs {
		var second []time.Duration
		for i := range 1200 {
			second = append(second, time.Duration(ms(n)*(1+0.02*float64(n*n%7))*float64(1_000_000+1000*i)))
		}
		dir := resultstest.Write(t, "x", resultstest.Cell{
			Target: "nats", Rate: 100, Seconds: [][]time.Duration{second}, Change: func(c *results.Cell) {
				c.Broker.Product, c.OfferedPerS, c.ReachedPerS = "NATS", 100, 100
			},
		})
		store, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		run, err := store.Run()
		if err != nil {
			t.Fatal(err)
		}
		run.Started = resultstest.Began().Add(time.Duration(n) * 24 * time.Hour)
		if err := store.SaveRun(run); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir, filepath.Join(out, fmt.Sprintf("%03d", n))); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestHistory(t *testing.T) {
	t.Parallel()
	same := nightly(t, 20, func(int) float64 { return 1 })
	worse := nightly(t, 20, func(n int) float64 { return 1 + float64(n/12)/2 })
	few := nightly(t, 5, func(int) float64 { return 1 })
	searched := nightly(t, 1, func(int) float64 { return 1 })
	if err := os.WriteFile(filepath.Join(searched, "000", command.SearchFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(nightly(t, 1, func(int) float64 { return 1 }), "000"), filepath.Join(searched, "001")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(searched, "001", command.AbFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"the same", []string{same, "--fail-on", "new-change"}, command.ExitGood, "no change shown", ""},
		{"worse", []string{worse}, command.ExitGood, "→ 2.", ""},
		{"worse, and gated", []string{worse, "--fail-on", "new-change"}, command.ExitRegression, "NEW CHANGE FOR THE WORSE", "p50 of nats, 1 KiB at 100/s"},
		{"worse, but not of late", []string{worse, "--fail-on", "new-change", "--newest", "5"}, command.ExitGood, "", ""},
		{"one cell", []string{worse, "--cell", "nats-100"}, command.ExitGood, "nats, 1 KiB at 100/s: ", ""},
		{"no cell", []string{worse, "--cell", "kafka"}, command.ExitError, "", "no cell was measured"},
		{"too few", []string{few}, command.ExitGood, "too few runs: 5, needs 8", ""},
		{"too few, and gated", []string{few, "--fail-on", "new-change"}, command.ExitInvalid, "", "cannot be judged"},
		{"a search", []string{searched}, command.ExitError, "", "the probes of a search"},
		{"a search beside runs", []string{same, searched}, command.ExitGood, "left out: 000: the probes of a search", ""},
		{"ab beside runs", []string{same, searched}, command.ExitGood, "left out: 001: a side of ab", ""},
		{"runs themselves", []string{filepath.Join(same, "000"), filepath.Join(same, "001")}, command.ExitGood, "2 runs", ""},
		{"nothing", nil, command.ExitUsage, "", "want a folder of results"},
		{"no run in it", []string{t.TempDir()}, command.ExitError, "", "holds no run"},
		{"no condition", []string{same, "--fail-on", "p99>10%"}, command.ExitUsage, "", "want new-change"},
		{"too new", []string{same, "--newest", "2"}, command.ExitUsage, "", "want 3 or more"},
		{"no picture", []string{same, "--chart", "x.pdf"}, command.ExitUsage, "", "--chart x.pdf"},
	} {
		code, stdout, stderr := invoke(append([]string{"history"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: exit code %d, want %d; want %q in stdout, %q in stderr:\n%s\n%s", c.name, code, c.code, c.stdout, c.stderr, stdout, stderr)
		}
	}
	chart := filepath.Join(t.TempDir(), "x.svg")
	code, _, stderr := invoke("history", worse, "--chart", chart, "--format", "json")
	wantCode(t, code, command.ExitGood, stderr)
	if text, err := os.ReadFile(chart); err != nil || !strings.Contains(string(text), "nats, 1 KiB at 100/s") {
		t.Errorf("%v: %.100s", err, text)
	}
}

// One run alone is ranked: its targets by turns, with a winner only if it has repeats.
func TestCompareOfOneRun(t *testing.T) {
	t.Parallel()
	both := written(t, 1, "1", "nats", "redis")
	code, stdout, stderr := invoke("compare", both)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "nats ≈ redis")
	code, stdout, stderr = invoke("compare", measured(t, "loopback:?delay=3ms"))
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "no winner is named")
	for _, args := range [][]string{{both, "--fail-on", "p99>10%"}, {both, "--unequal"}, {both, "--by", "shape"}} {
		code, _, stderr := invoke(append([]string{"compare"}, args...)...)
		wantCode(t, code, command.ExitUsage, stderr, "one run is ranked")
	}
	code, _, stderr = invoke("compare", written(t, 1, "1", "nats"))
	wantCode(t, code, command.ExitError, stderr, "no shape with two targets")
}
