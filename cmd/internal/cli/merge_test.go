package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results/merge"
)

func TestMergeOfAMeasuredRun(t *testing.T) {
	run, out := measured(t), t.TempDir()
	log, table := filepath.Join(out, "sum.hlog"), filepath.Join(out, "sum.hgrm")
	code, stdout, stderr := command("merge", run, "-o", log)
	wantCode(t, code, exitGood, stderr)
	for _, says := range []string{"2 logs added up, in ms: tag response", "loopback 100/s", "loopback 200/s", "values above", "a mixture"} {
		if !strings.Contains(stdout, says) {
			t.Errorf("the table does not say %q:\n%s", says, stdout)
		}
	}
	code, stdout, stderr = command("merge", log, "-o", table, "--format", "json")
	wantCode(t, code, exitGood, stderr)
	var sum merge.Sum
	if err := json.Unmarshal([]byte(stdout), &sum); err != nil || sum.Distribution.Count != 300 {
		t.Errorf("%d values, %v", sum.Distribution.Count, err)
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := histogram.ReadPercentiles(f); err != nil || p.Count != 300 || !p.Complete {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestMergeMistakes(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there.hgrm")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log := goldenFiles + "golden.hlog"
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"", exitUsage, "want paths: the folder of a run or of a cell, or a .hlog"},
		{goldenFiles + "stall.hgrm " + log, exitUsage, "stall.hgrm: cannot be added: percentiles are not histograms"},
		{log, exitUsage, "choose one with --tag"},
		{log + " " + log + " --tag stall", exitUsage, "cannot be added twice"},
		{log + " --tag stall -o x.svg", exitUsage, "--output x.svg: want a file whose name ends with .hgrm or .hlog"},
		{log + " --tag stall -o " + there, exitUsage, "the file exists"},
		{"nothing", exitError, "nothing: no such file or directory"},
		{log + " --tag stall -o /dev/null/x.hlog", exitError, "writing /dev/null/x.hlog: not a directory"},
	} {
		code, stdout, stderr := command(append([]string{"merge"}, strings.Fields(tt.args)...)...)
		wantCode(t, code, tt.code, stderr, tt.says)
		if stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %q on stdout, and not one line: %s", tt.args, stdout, stderr)
		}
	}
}
