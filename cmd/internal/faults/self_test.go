//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// measured is an attempt that held: a run of three seconds, all done.
func measured(t *testing.T) (a *attempt, cell string) {
	t.Helper()
	second := make([]time.Duration, perSecond)
	for i := range second {
		second[i] = time.Millisecond
	}
	dir := resultstest.Write(t, "run", resultstest.Cell{
		Target: "nats", Rate: perSecond, Seconds: [][]time.Duration{second, second, second},
	})
	cell = resultstest.Folder(t, dir, 0)
	store, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run()
	if err != nil {
		t.Fatal(err)
	}
	run.Finished = run.Started.Add(time.Hour)
	if err := store.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	usage, err := store.Cell(run.Cells[0].ID).CreateUsage()
	if err == nil {
		err = usage.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	a = &attempt{t: t, broker: &broker{t: t}, folder: t.TempDir(), marker: "FAULTS_ATTEMPT=none", stdout: "a table\n"}
	a.row.window, a.row.timeout, a.row.late = window, timeout, late
	if err := os.Rename(filepath.Dir(dir), a.out()); err != nil {
		t.Fatal(err)
	}
	return a, filepath.Join(a.out(), filepath.Base(dir), results.CellsFolder, filepath.Base(cell))
}

// TestCheck wants the invariants to be seen when they do not hold.
func TestCheck(t *testing.T) {
	t.Parallel()
	change := func(name, from, to string) func(*attempt, string) {
		return func(a *attempt, cell string) {
			path := filepath.Join(cell, name)
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), from) {
				a.t.Fatalf("%v: no %q in %s: %s", err, from, name, text)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
				a.t.Fatal(err)
			}
		}
	}
	const run = "../../" + results.RunFile
	for _, c := range []struct {
		name   string
		damage func(a *attempt, cell string)
		want   string // in what fell short; "" if nothing did
	}{
		{"nothing", func(*attempt, string) {}, ""},
		{"late", func(a *attempt, _ string) { a.took = time.Minute }, "took 1m0s"},
		{"exit code", func(a *attempt, _ string) { a.exit = 1 }, "exit code 1, want 0"},
		{"panic", func(a *attempt, _ string) { a.stderr = "panic: nil\n" }, `it says "panic:"`},
		{"package path", func(a *attempt, _ string) { a.stderr = "brokers/nats: no\n" }, `it says "brokers/"`},
		{"without a word", func(a *attempt, _ string) { a.exit, a.stdout = 4, "" }, "without a word"},
		{"password", func(a *attempt, _ string) { a.stderr = secret }, "it says the password"},
		{"password in a file", change(run, `"run"`, `"`+secret+`"`), "run.json holds the password"},
		{"ledger", change(results.CellFile, `"lost": 0`, `"lost": 1`), "the ledger does not add up"},
		{"fewer due", change(results.CellFile, `"due": 900`, `"due": 800`), "the ledger does not add up"},
		{"unknown field", change(results.CellFile, `"ledger"`, `"other": 1, "ledger"`), "unknown field"},
		{"half a file", change(run, `"schema"`, `{`), "run.json"},
		{"no end", change(run, `"finished": "0001-01-01T01`, `"finished": "0001-01-01T00`), "run.json says it ended at"},
		{"log", func(a *attempt, cell string) { truncate(a.t, filepath.Join(cell, results.IntervalsFile)) }, results.IntervalsFile},
		{"unfinished file", func(a *attempt, cell string) {
			if err := os.WriteFile(filepath.Join(cell, ".cell.json-1"), nil, 0o600); err != nil {
				a.t.Fatal(err)
			}
		}, "unfinished files"},
		{"no cell", func(_ *attempt, cell string) { _ = os.RemoveAll(cell) }, "0 cells were measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, cell := measured(t)
			c.damage(a, cell)
			a.check()
			var all strings.Builder
			for _, f := range a.fell {
				all.WriteString(f + "\n")
			}
			if c.want == "" && all.Len() > 0 || !strings.Contains(all.String(), c.want) {
				t.Errorf("fell short: %q, want %q", all.String(), c.want)
			}
		})
	}
}

// truncate takes away the end of a file.
func truncate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-20)
	}
	if err != nil {
		t.Fatal(err)
	}
}
