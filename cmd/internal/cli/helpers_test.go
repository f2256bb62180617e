package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// TestMain lets this test binary be the children that brokerbench starts.
func TestMain(m *testing.M) {
	if code, isChild := serveChild(os.Args[1:], System()); isChild {
		os.Exit(code) //nolint:forbidigo // this is a main function
	}
	m.Run()
}

// command runs the command line in this process and returns what it printed.
func command(args ...string) (code int, stdout, stderr string) {
	var out, talk bytes.Buffer
	code = Main(args, Streams{In: strings.NewReader(""), Out: &out, Err: &talk})
	return code, out.String(), talk.String()
}

// runJSON runs `run` with results in JSON in a folder of the test's.
func runJSON(t *testing.T, args ...string) (code int, run results.Run, cells []*results.Cell, stderr string) {
	t.Helper()
	args = append([]string{"run", "--quiet", "--floor", "off", "--report", "off", "-o", "json", "--out", t.TempDir()}, args...)
	code, stdout, stderr := command(args...)
	var document struct {
		Run   results.Run
		Cells []*results.Cell
	}
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatalf("exit code %d, %q on stdout: %v; stderr: %s", code, stdout, err, stderr)
	}
	return code, document.Run, document.Cells, stderr
}

// wantCode wants an exit code, and texts in what was said on stderr.
func wantCode(t *testing.T, code, want int, stderr string, texts ...string) {
	t.Helper()
	if code != want {
		t.Errorf("exit code %d, want %d; stderr: %s", code, want, stderr)
	}
	for _, text := range texts {
		if !strings.Contains(stderr, text) {
			t.Errorf("stderr does not say %q:\n%s", text, stderr)
		}
	}
}

// wantBalanced wants a ledger that adds up.
func wantBalanced(t *testing.T, l results.Ledger) {
	t.Helper()
	if l.Due == 0 || l.Due != l.Done+l.Failed+l.Lost+l.Unsent {
		t.Errorf("ledger %+v does not add up", l)
	}
}

// readAll returns the contents of every file below a folder.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
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
