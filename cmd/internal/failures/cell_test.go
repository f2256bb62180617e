//go:build linux

package failures

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/witness"
	"github.com/brokerbench/brokerbench/results"
)

// A cell is a fault with a broker: one run of the program.
type cell struct {
	t       *testing.T
	program string
	broker  broker
	fault   fault
	folder  string // plan and results
	cache   string // in which the program keeps the nodes' data

	took time.Duration
	exit int
	said string
	got  *results.Cell  // nil: it was not measured
	seen witness.Events // of the witness
	fell []string       // what should not have happened

	witnessed bool          // the witness missed no packet
	apart     time.Duration // the largest difference of an outage from that of the witness
}

// fall notes what should not have happened.
func (c *cell) fall(format string, args ...any) {
	c.t.Helper()
	text := fmt.Sprintf(format, args...)
	c.fell = append(c.fell, text)
	c.t.Error(text)
}

const plan = `
name: failures
targets: ["%s"]
matrix: {rate: %d, size: %d}
duration: %v
warmup: %v
timeout: %v
floor: off
faults:
  - {at: %v, %s}
`

// limit is how long a run may take, the start of the nodes on a busy machine included.
const limit = 8 * time.Minute

// run measures.
func (c *cell) run() {
	c.t.Helper()
	c.cache = home(c.t)
	file := filepath.Join(c.folder, "plan.yaml")
	text := fmt.Sprintf(plan, c.target(), rate, size, c.fault.lasts(), warmup, wait, begins, c.fault.yaml)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, "run", "-f", file, "--progress", "off", "--out", filepath.Join(c.folder, "out"))
	cmd.Env = append(environment(), "XDG_CACHE_HOME="+c.cache)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	stop := c.listen(cmd.Process.Pid)
	err := cmd.Wait()
	c.took, c.exit, c.said = time.Since(began), cmd.ProcessState.ExitCode(), said.String()
	stop()
	if ctx.Err() != nil {
		c.fall("still runs after %v: %v", limit, err)
	}
	// A busy machine makes a cell suspect, and acknowledged messages may be lost if all nodes fail.
	if c.exit != 0 && c.exit != 4 && (c.exit != 3 || !c.fault.all) {
		c.fall("exit code %d, want 0", c.exit)
	}
	if c.exit != 0 {
		c.t.Logf("%s\n%s", text, c.said)
	}
	c.read()
}

// environment is ours without what brokerbench reads from it.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "BROKERBENCH_") })
}

// read reads what was measured.
func (c *cell) read() {
	runs, _ := filepath.Glob(filepath.Join(c.folder, "out", "*", results.RunFile))
	if len(runs) == 0 {
		return
	}
	store, err := results.Open(filepath.Dir(runs[0]))
	if err != nil {
		c.fall("%v", err)
		return
	}
	run, err := store.Run()
	if err != nil || len(run.Cells) != 1 {
		c.fall("%d cells, %v", len(run.Cells), err)
		return
	}
	if c.got, err = store.Cell(run.Cells[0].ID).Read(); err != nil {
		c.fall("%v", err)
	}
}

// home makes a folder for what the program caches, on a disk and not in memory; of its own, so
// that what is left behind is seen. What was fetched is there already.
func home(t *testing.T) (dir string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(filepath.Join(cache, "brokerbench"), 0o755)
	}
	if err == nil {
		dir, err = os.MkdirTemp(filepath.Join(cache, "brokerbench"), "failures-")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.MkdirAll(filepath.Join(dir, "brokerbench"), 0o755); err != nil {
		t.Fatal(err)
	}
	fetched, _ := filepath.Glob(filepath.Join(cache, "brokerbench", "kafka-*"))
	for _, from := range fetched {
		if err := os.Symlink(from, filepath.Join(dir, "brokerbench", filepath.Base(from))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
