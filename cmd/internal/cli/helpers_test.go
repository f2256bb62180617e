package cli

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

// TestMain lets this test binary be the children that brokerbench starts.
func TestMain(m *testing.M) {
	if code, isChild := serveChild(os.Args[1:], command.System(brokers.All())); isChild {
		os.Exit(code) //nolint:forbidigo // this is a main function
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(os.Args[1:], command.System(brokers.All()))) //nolint:forbidigo // this is a main function
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "3") // these tests wait for windows, not for a core
	dir, err := os.MkdirTemp("", "measured-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	originals.dir, originals.of = dir, make(map[string]string)
	m.Run()
}

// asProgram is set in the environment of a test binary that is to be brokerbench.
const asProgram = "TEST_BINARY_IS_PROGRAM"

// command runs the command line in this process and returns what it printed.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = Main(args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Brokers: brokers.All()})
	return code, out.String(), errs.String()
}

// runJSON runs `run` with results in JSON in a folder of the test's.
func runJSON(t *testing.T, args ...string) (code int, run results.Run, cells []*results.Cell, stderr string) {
	t.Helper()
	args = append([]string{"run", "--quiet", "--floor", "off", "--report", "off", "--format", "json", "--out", t.TempDir()}, args...)
	code, stdout, stderr := invoke(args...)
	document := decode[struct {
		Run   results.Run
		Cells []*results.Cell
	}](t, stdout)
	return code, document.Run, document.Cells, stderr
}

// unspoiled tries until the machine has not spoiled it, five times at most. A machine that
// gives this process no CPU for a second spoils what takes a second, but seldom five times.
// Code that is wrong does, and the last try is what the test judges.
func unspoiled(try func() (good bool)) {
	for range 5 {
		if try() {
			return
		}
	}
}

// valid runs the command line until no cell is invalid, each time with results in a new
// folder, out.
func valid(t *testing.T, args ...string) (code int, stdout, stderr, out string) {
	t.Helper()
	unspoiled(func() bool {
		out = t.TempDir()
		code, stdout, stderr = invoke(append(slices.Clone(args), "--out", out)...)
		return code != command.ExitInvalid
	})
	return code, stdout, stderr, out
}

// validJSON runs `run` as runJSON does, until no cell is invalid.
func validJSON(t *testing.T, args ...string) (code int, run results.Run, cells []*results.Cell, stderr string) {
	t.Helper()
	unspoiled(func() bool {
		code, run, cells, stderr = runJSON(t, args...)
		return code != command.ExitInvalid
	})
	return code, run, cells, stderr
}

// originals are the runs of measured, by its arguments: folders in dir, until all tests are over.
var originals struct {
	sync.Mutex
	dir string
	of  map[string]string
}

// measured returns the folder of a run of two rates, which is really measured. Tests with the same
// arguments get copies of one run.
func measured(t *testing.T, args ...string) string {
	t.Helper()
	originals.Lock()
	defer originals.Unlock()
	key := strings.Join(args, " ")
	if originals.of[key] == "" {
		code, _, stderr, out := valid(t, append([]string{
			"run", "loopback:?delay=1ms", "--quiet", "--floor", "off",
			"--rate", "100,200", "--size", "64B", "--duration", "1s", "--warmup", "100ms",
		}, args...)...)
		wantCode(t, code, command.ExitGood, stderr)
		originals.of[key] = copied(t, onlyFolder(t, out), filepath.Join(originals.dir, strconv.Itoa(len(originals.of))))
	}
	return copied(t, originals.of[key], t.TempDir())
}

// copied copies a folder into another, and returns the copy.
func copied(t *testing.T, dir, into string) string {
	t.Helper()
	to := filepath.Join(into, filepath.Base(dir))
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// onlyFolder returns the only folder in out.
func onlyFolder(t *testing.T, out string) string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if dirs = results.WithoutLatest(dirs); err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	return dirs[0]
}

// decode reads what was printed as JSON.
func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return v
}

// wantCode wants an exit code, and texts in what was said on stderr.
func wantCode(t *testing.T, code, want int, stderr string, texts ...string) {
	t.Helper()
	if code != want {
		t.Errorf("exit code %d, want %d; stderr: %s", code, want, stderr)
	}
	wantTexts(t, stderr, texts...)
}

// wantTexts wants texts in what was printed.
func wantTexts(t *testing.T, printed string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			t.Errorf("no %q in:\n%s", text, printed)
		}
	}
}

// wantOneLine wants an error in one line.
func wantOneLine(t *testing.T, stderr string) {
	t.Helper()
	if strings.Count(stderr, "\n") != 1 {
		t.Errorf("not one line:\n%s", stderr)
	}
}

// readAll returns the contents of every file below a folder.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
