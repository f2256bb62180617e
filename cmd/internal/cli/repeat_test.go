package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/results"
)

func TestRepeatsAreSummedUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan.yaml")
	text := "repeat: 3\nduration: 600ms\nwarmup: 0s\nfloor: off\nmatrix: {rate: 500, size: 64}\n" +
		"targets: [{name: fast, url: 'loopback:'}, {name: slow, url: 'loopback:?delay=20ms'}]\n"
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := invoke("run", "--quiet", "-f", plan, "--details", "--out", filepath.Join(dir, "table"))
	if code != command.ExitGood && code != command.ExitInvalid { // a busy machine may be behind
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	wantTexts(t, stdout, "64 B at 500/s, 1 connection, 3 × 600ms", "All 3 repeats together", "\nfast, 64 B at 500/s: 900, ", "\nslow, 64 B at 500/s: 900, ")
	run := onlyFolder(t, filepath.Join(dir, "table"))
	if code, again, stderr := invoke("report", run, "--details", "--format", "table"); code != command.ExitGood || again != stdout {
		t.Errorf("exit code %d; report prints another table than run: %s%s", code, again, stderr)
	}
	files, err := filepath.Glob(filepath.Join(run, "summary", "*", "*"))
	if err != nil || len(files) != 4 {
		t.Errorf("files %v, %v", files, err)
	}

	_, stdout, _ = invoke("run", "--quiet", "-f", plan, "--out", filepath.Join(dir, "json"), "--format", "json")
	document := decode[struct{ Summaries []results.Summary }](t, stdout)
	if len(document.Summaries) != 2 {
		t.Fatalf("%d summaries", len(document.Summaries))
	}
	slow := document.Summaries[1]
	if p50, ok := slow.Spread(50); !ok || *p50.MinNS < 20_000_000 || *p50.MinNS > *p50.MedianNS || *p50.MedianNS > *p50.MaxNS || len(slow.Cells) != 3 {
		t.Errorf("%+v", slow)
	}
}

// The targets of one shape follow each other, in an order that the seed draws anew
// for each shape and repeat.
func TestPlanShowsTheOrderOfRepeats(t *testing.T) {
	args := []string{"plan", "loopback:?delay=1ms", "loopback:?delay=2ms", "loopback:?delay=3ms", "--repeat", "3", "--rate", "100,200"}
	code, stdout, stderr := invoke(args...)
	wantCode(t, code, command.ExitGood, stderr)
	golden.Check(t, "plan-repeats.txt", stdout)
}
