package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/results"
)

// commandIn runs the command line with an environment.
func commandIn(environ []string, args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = Main(args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Environ: environ, Brokers: brokers.All()})
	return code, out.String(), errs.String()
}

// What reads results takes the run that began last, if none is named.
func TestWithoutAFolderItIsTheLastRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"report"}, {"compare"}, {"plot", "percentiles", "-o", "x.svg"}} {
		code, _, stderr := invoke(args...)
		wantCode(t, code, command.ExitUsage, stderr, "brokerbench-results holds no run: want the folder of a run")
		wantOneLine(t, stderr)
	}
	short := []string{"run", "loopback:?delay=1ms", "loopback:?delay=5ms", "--rate", "100", "--duration", "300ms", "--warmup", "0s", "--floor", "off", "-q"}
	for _, name := range []string{"first", "second"} {
		var code int
		var stderr string
		unspoiled(func() bool {
			code, _, stderr = invoke(append(short, "--name", name)...)
			return code != command.ExitInvalid
		})
		wantCode(t, code, command.ExitGood, stderr)
	}
	const said = "last run: brokerbench-results/2"
	code, stdout, stderr := invoke("report", "--format", "md")
	wantCode(t, code, command.ExitGood, stderr, said, "-second")
	wantTexts(t, stdout, "loopback-2")
	code, _, stderr = invoke("report")
	wantCode(t, code, command.ExitGood, stderr, said, "report: report.html")
	code, stdout, stderr = invoke("compare")
	wantCode(t, code, command.ExitGood, stderr, said)
	wantTexts(t, stdout, "loopback")
	code, _, stderr = invoke("plot", "percentiles", "-o", "x.svg")
	wantCode(t, code, command.ExitGood, stderr, said)

	// The folder of results is where the environment says, and may be named itself.
	for _, args := range [][]string{{"report", "-o", "-"}, {"compare"}} {
		code, _, stderr := commandIn([]string{"BROKERBENCH_OUT=elsewhere"}, args...)
		wantCode(t, code, command.ExitUsage, stderr, "elsewhere holds no run")
	}
	for _, args := range [][]string{{"report", "brokerbench-results", "-o", "-"}, {"compare", "brokerbench-results"}} {
		code, _, stderr := invoke(args...)
		wantCode(t, code, command.ExitError, stderr, "brokerbench-results holds runs but is none itself (name one, such as brokerbench-results/latest)")
	}
}

// A run that is under way is the last one, and so is one that was killed.
func TestTheLastRunIsTheOneThatBeganLast(t *testing.T) {
	t.Chdir(t.TempDir())
	ended := make(chan int, 1)
	go func() {
		ended <- Main([]string{"run", "loopback:", "--rate", "100", "--duration", "3s", "--warmup", "0s", "--floor", "off", "-q"}, command.Streams{Out: io.Discard, Err: io.Discard, Brokers: brokers.All()})
	}()
	poll.Until(t, 10*time.Second, func() bool {
		_, err := os.Stat(filepath.Join("brokerbench-results", results.LatestLink, results.RunFile))
		return err == nil
	}, "the run has not begun")
	select {
	case code := <-ended:
		t.Fatalf("the run has ended, with exit code %d", code)
	default:
	}
	code, stdout, stderr := invoke("list")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "1 run in brokerbench-results", "1 not measured, not ended")
	if code := <-ended; code != command.ExitGood && code != command.ExitInvalid { // which it is on a busy machine
		t.Errorf("exit code %d", code)
	}
}

// DIR/* names the last run twice: by its folder, and by the link to it.
func TestAllFoldersAreEachRunOnce(t *testing.T) {
	t.Parallel()
	code, _, stderr, out := valid(t, "run", "loopback:", "--rate", "100", "--duration", "300ms", "--warmup", "0s", "--floor", "off", "-q")
	wantCode(t, code, command.ExitGood, stderr)
	all, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	code, page, stderr := invoke(append([]string{"report", "-o", "-"}, all...)...)
	wantCode(t, code, command.ExitGood, stderr)
	if n := strings.Count(page, "<title>brokerbench: run</title>"); n != 1 {
		t.Errorf("the page is not that of one run")
	}
	code, stdout, stderr := invoke(append([]string{"merge"}, all...)...)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "1 log")
	code, stdout, stderr = invoke("history", out)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "1 run")
}

func TestListOfAnotherFolder(t *testing.T) {
	code, _, stderr := invoke("list", filepath.Join(t.TempDir(), "absent"))
	wantCode(t, code, command.ExitError, stderr, "no such file")
	t.Chdir(t.TempDir())
	code, stdout, stderr := invoke("list")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "brokerbench-results holds no run (brokerbench run makes one)")
	code, stdout, stderr = commandIn([]string{"BROKERBENCH_OUT=" + filepath.Dir(written(t, 1, "1", "kafka"))}, "list", "--format", "json")
	wantCode(t, code, command.ExitGood, stderr)
	if runs := decode[[]struct{ Targets []string }](t, stdout); len(runs) != 1 || len(runs[0].Targets) != 1 {
		t.Error(stdout)
	}
}

// A run that measured nothing is not the last one.
func TestAFailedRunIsNotTheLastOne(t *testing.T) {
	t.Chdir(t.TempDir())
	short := []string{"--rate", "100", "--duration", "300ms", "--warmup", "0s", "--floor", "off", "-q"}
	latest := filepath.Join("brokerbench-results", results.LatestLink)
	fail := func() {
		code, _, stderr := invoke(append([]string{"run", "nats://127.0.0.1:1", "--name", "bad"}, short...)...)
		wantCode(t, code, command.ExitError, stderr)
	}
	fail()
	if _, err := os.Lstat(latest); err == nil {
		t.Error("the failed run is the last one")
	}
	if code, _, stderr := invoke(append([]string{"run", "loopback:", "--name", "good"}, short...)...); code == command.ExitError {
		t.Fatal(stderr)
	}
	fail()
	if to, err := os.Readlink(latest); err != nil || !strings.HasSuffix(to, "-good") {
		t.Errorf("the last run is %s, %v", to, err)
	}
	if err := os.Remove(latest); err != nil { // a disk without links
		t.Fatal(err)
	}
	if last, err := results.Latest("brokerbench-results"); err != nil || !strings.HasSuffix(last.Dir(), "-good") {
		t.Errorf("%v, %v", last, err)
	}
}
