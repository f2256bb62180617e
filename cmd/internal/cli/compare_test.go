package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// written writes a run of three repeats of one cell for each of the targets, whose
// median response is scale ms, and returns its folder.
func written(t *testing.T, scale float64, acks string, targets ...string) string {
	t.Helper()
	var cells []resultstest.Cell
	for _, target := range targets {
		for repeat := range 3 {
			var second []time.Duration
			for i := range 2000 {
				second = append(second, time.Duration(scale*float64(1_000_000+1000*i+10_000*repeat)))
			}
			cells = append(cells, resultstest.Cell{
				Target: target, Rate: 100, Repeat: repeat + 1, Seconds: [][]time.Duration{second}, Change: func(c *results.Cell) {
					c.Broker = results.Broker{Product: target, Settings: []results.Setting{{Name: "acks", Value: acks}}}
				},
			})
		}
	}
	return resultstest.Write(t, "x", cells...)
}

func TestCompare(t *testing.T) {
	base, same, slow := written(t, 1, "1", "kafka"), written(t, 1.001, "1", "kafka"), written(t, 1.5, "1", "kafka")
	all, both := written(t, 1, "all", "kafka"), written(t, 1, "1", "nats", "redis")
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"the same", []string{base, same}, command.ExitGood, "answers: 2 no difference shown", ""},
		{"slower", []string{base, slow}, command.ExitGood, "answers: 2 slower", ""},
		{"faster", []string{slow, base}, command.ExitGood, "answers: 2 faster", ""},
		{"a regression", []string{base, slow, "--fail-on", "p99>10%"}, command.ExitRegression, "answers: 2 slower", "p99>10% failed: kafka, 1 KiB at 100/s"},
		{"one of two is met", []string{base, slow, "--fail-on", "p99>90%,p50>10%"}, command.ExitRegression, "", "p50>10% failed"},
		{"not by so much", []string{base, slow, "--fail-on", "p99>60%"}, command.ExitGood, "p99>60%: passed", ""},
		{"cannot be judged", []string{base, same, "--fail-on", "p99.99>10%"}, command.ExitInvalid, "NOT DECIDED", "p99.99>10% is not decided"},
		{"met, and not to be judged", []string{base, slow, "--fail-on", "p99.99>10%", "--fail-on", "p50>10%"}, command.ExitRegression, "", "p99.99>10% is not decided"},
		{"the second NEW", []string{base, same, slow, "--fail-on", "p99>40%"}, command.ExitRegression, "answers: 2 no difference shown", slow + ": p99>40% failed"},
		{"a maximum of three runs", []string{base, slow, "--fail-on", "max>40%"}, command.ExitInvalid, "3 runs against 3 are too few", "max>40% is not decided"},
		{"a limit inside the interval", []string{base, slow, "--fail-on", "p99>50%"}, command.ExitInvalid, "NOT DECIDED", "p99>50% is not decided"},
		{"nothing is lost", []string{base, slow, "--fail-on", "loss>0.1%"}, command.ExitGood, "loss>0.1%: passed", ""},
		{"pauses that nobody counted", []string{base, slow, "--fail-on", "pauses>1/min"}, command.ExitInvalid, "pauses were not counted", "pauses>1/min is not decided"},
		{"unequal", []string{base, all}, command.ExitError, "", "kafka: acks 1 against all"},
		{"unequal, and how to go on", []string{base, all}, command.ExitError, "", "--unequal"},
		{"unequal by force", []string{base, all, "--unequal"}, command.ExitGood, "UNEQUAL, compared by force: kafka: acks 1 against all", ""},
		{"one of two is unequal", []string{base, all, same}, command.ExitError, "", "acks 1 against all"},
		{"repeats from several folders", []string{base + "," + same, same + "," + base}, command.ExitGood, "6 runs against 6", ""},
		{"not repeats of each other", []string{base + "," + all, same}, command.ExitError, "", "are not repeats of each other"},
		{"targets of one run", []string{both + "@nats", both + "@redis", "--by", "shape"}, command.ExitGood, "nats, 1 KiB at 100/s → redis, 1 KiB at 100/s", ""},
		{"other products by name", []string{both + "@nats", both + "@redis"}, command.ExitError, "", "--by shape"},
		{"no such target", []string{both + "@kafka", both}, command.ExitError, "", `has no target "kafka"`},
		{"no such folder", []string{base, "absent"}, command.ExitError, "", "absent"},
		{"one folder of one target", []string{base}, command.ExitError, "", "no shape with two targets"},
		{"no percentage", []string{base, same, "--fail-on", "p99>10"}, command.ExitUsage, "", "not a percentage"},
		{"no pairing", []string{base, same, "--by", "name"}, command.ExitUsage, "", "want target or shape"},
		{"no flag", []string{base, same, "--forse"}, command.ExitUsage, "", "unknown flag"},
	} {
		code, stdout, stderr := invoke(append([]string{"compare"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: exit code %d, want %d; want %q in stdout, %q in stderr:\n%s\n%s", c.name, code, c.code, c.stdout, c.stderr, stdout, stderr)
		}
		if (code == command.ExitError || code == command.ExitUsage) && stdout != "" {
			t.Errorf("%s: an error, and yet on stdout: %s", c.name, stdout)
		}
		if code == command.ExitGood && stderr != "" {
			t.Errorf("%s: good, and yet on stderr: %s", c.name, stderr)
		}
	}
}

// A folder whose own name has a comma or an @ is taken as it is.
func TestCompareFoldersWithSigns(t *testing.T) {
	for _, name := range []string{"a,b", "a@b"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Rename(written(t, 1, "1", "kafka"), dir); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := invoke("compare", dir, dir)
		wantCode(t, code, command.ExitGood, stderr)
		wantTexts(t, stdout, "3 runs against 3")
	}
}

// A measured run, each of its cells measured once, does not differ from itself.
func TestCompareOfAMeasuredRun(t *testing.T) {
	t.Parallel()
	run := measured(t)
	code, stdout, stderr := invoke("compare", run, run, "--format", "json")
	wantCode(t, code, command.ExitGood, stderr)
	got := decode[struct {
		Comparisons []struct {
			Pairs []struct{ Method string }
		}
	}](t, stdout)
	if len(got.Comparisons) != 1 || len(got.Comparisons[0].Pairs) != 2 {
		t.Fatal(stdout)
	}
	if strings.Contains(stdout, `NEW lower`) || strings.Contains(stdout, `NEW higher`) || strings.Contains(stdout, `"faster"`) || strings.Contains(stdout, `"slower"`) || got.Comparisons[0].Pairs[0].Method != "one run a side" {
		t.Error(stdout)
	}
}
