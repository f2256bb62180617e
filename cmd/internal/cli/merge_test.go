package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/merge"
)

func TestMergeOfAMeasuredRun(t *testing.T) {
	t.Parallel()
	run, out := measured(t), t.TempDir()
	log, table := filepath.Join(out, "sum.hlog"), filepath.Join(out, "sum.hgrm")
	code, stdout, stderr := invoke("merge", run, "-o", log)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "2 logs added up, in ms: tag response", "loopback 100/s", "loopback 200/s", "values above", "a mixture")
	code, stdout, stderr = invoke("merge", log, "-o", table, "--format", "json")
	wantCode(t, code, command.ExitGood, stderr)
	if sum := decode[merge.Sum](t, stdout); sum.Distribution.Count != 300 {
		t.Errorf("%d values", sum.Distribution.Count)
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if code, printed, stderr := invoke("merge", log, "--format", "hgrm"); code != command.ExitGood || !strings.HasPrefix(printed, "       Value") {
		t.Errorf("exit code %d, %s: %.100q", code, stderr, printed)
	}
	if p, err := histogram.ReadPercentiles(f); err != nil || p.Count != 300 || !p.Complete {
		t.Errorf("%+v, %v", p, err)
	}
}
