package cli

import (
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
	wantTexts(t, stdout, "2 logs added up, in ms: tag response", "loopback 100/s", "loopback 200/s", "values above", "a mixture")
	code, stdout, stderr = command("merge", log, "-o", table, "--format", "json")
	wantCode(t, code, exitGood, stderr)
	if sum := decode[merge.Sum](t, stdout); sum.Distribution.Count != 300 {
		t.Errorf("%d values", sum.Distribution.Count)
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if code, printed, stderr := command("merge", log, "--format", "hgrm"); code != exitGood || !strings.HasPrefix(printed, "       Value") {
		t.Errorf("exit code %d, %s: %.100q", code, stderr, printed)
	}
	if p, err := histogram.ReadPercentiles(f); err != nil || p.Count != 300 || !p.Complete {
		t.Errorf("%+v, %v", p, err)
	}
}
