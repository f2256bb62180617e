//go:build unix

package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/results"
)

// A run is brokerbench in a process of its own.
type run struct {
	t   *testing.T
	cmd *exec.Cmd
	out said
	err error
	dir string // of its results, and of its state
}

// said is what a process wrote, while it writes.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// begin starts the program, in a network namespace if before names one.
func begin(t *testing.T, dir string, before []string, args ...string) *run {
	t.Helper()
	words := append(append(append([]string{}, before...), self(t)), args...)
	r := &run{t: t, cmd: exec.Command(words[0], words[1:]...), dir: dir}
	r.cmd.Env = append(os.Environ(), program+"=1", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "TMPDIR="+machineOf(t)) // agents of other tests are on other machines
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.cmd.ProcessState == nil {
			_ = r.cmd.Process.Kill()
			_ = r.cmd.Wait()
		}
	})
	return r
}

// self returns this program.
func self(t *testing.T) string {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// machineOf returns a folder for temporary files, which the agents of a test have in common.
func machineOf(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "agents-"+strings.ReplaceAll(t.Name(), "/", "-"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// measures starts a run of short cells on agents, at 300/s if nothing is said.
func measures(t *testing.T, dir string, more ...string) *run {
	t.Helper()
	if !slices.Contains(more, "--rate") {
		more = append(more, "--rate", "300")
	}
	return begin(t, dir, nil, append([]string{
		"run", "loopback:?delay=1ms", "--connections", "6", "--duration", "4s", "--warmup", "1s", "--floor=off",
		"--out", filepath.Join(dir, "out"), "--report", "off",
	}, more...)...)
}

// end waits for the program, and returns its exit code.
func (r *run) end() int {
	r.t.Helper()
	done := make(chan error, 1)
	go func() { done <- r.cmd.Wait() }()
	select {
	case r.err = <-done:
	case <-time.After(3 * time.Minute):
		r.t.Fatalf("it does not end: %s", r.out.String())
	}
	return r.cmd.ProcessState.ExitCode()
}

// wants waits until the program has said something.
func (r *run) wants(text string) {
	r.t.Helper()
	waitFor(r.t, func() bool { return strings.Contains(r.out.String(), text) }, "it says %q: %s", text, &r.out)
}

// under waits until it says how far it has come with a cell, at its first tick or a later one.
func (r *run) under(cell string) {
	r.t.Helper()
	tick := regexp.MustCompile(regexp.QuoteMeta(cell) + `: \d+s of `)
	waitFor(r.t, func() bool { return tick.MatchString(r.out.String()) }, "it is under way with %s: %s", cell, &r.out)
}

// waitFor waits until something holds, as it does soon.
func waitFor(t *testing.T, holds func() bool, format string, args ...any) {
	t.Helper()
	poll.Until(t, 3*time.Minute, holds, "waited for three minutes: "+format, args...)
}

// only returns the one cell of the last run.
func (r *run) only() *results.Cell {
	r.t.Helper()
	all := r.cells()
	if len(all) != 1 {
		r.t.Fatalf("%d cells: %s", len(all), r.out.String())
	}
	return all[0]
}

func (r *run) cells() (list []*results.Cell) {
	r.t.Helper()
	files, _ := filepath.Glob(filepath.Join(r.dir, "out", results.LatestLink, results.CellsFolder, "*", results.CellFile))
	for _, file := range files {
		text, err := os.ReadFile(file)
		c := new(results.Cell)
		if err == nil {
			err = json.Unmarshal(text, c)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// agents returns the processes of agents that a process started, by /proc.
func agents(t *testing.T, parent int) (pids []int) {
	t.Helper()
	for _, pid := range children(parent) {
		if strings.Contains(commandLine(pid), "\x00agent\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// children returns the processes that a process started.
func children(parent int) (pids []int) {
	for _, pid := range processes() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // it may have ended
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processes returns all that there are.
func processes() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		pids = append(pids, pid)
	}
	return pids
}

func commandLine(pid int) string {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return string(text)
}

// needsProc skips a test where there is no /proc to find agents in.
func needsProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("NOT TESTED: there is no /proc to find the agents in")
	}
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
}

// signals sends a signal to a process.
func signals(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// whole wants a cell to account for every message of the plan, with no agent missing.
func whole(t *testing.T, c *results.Cell, agents int) {
	t.Helper()
	if err := c.Ledger.Check(); err != nil || c.Ledger.Due != 1200 || c.Ledger.Done != 1200 || len(c.Agents) != agents {
		t.Errorf("%+v of %d agents, %v; want 1200 messages done by %d", c.Ledger, len(c.Agents), err, agents)
	}
	var sum results.Ledger
	for _, a := range c.Agents {
		sum.Add(a.Ledger)
	}
	if sum != c.Ledger || c.Response.Count != c.Ledger.Done {
		t.Errorf("the agents' ledgers are %+v in all, the cell's %+v; %d responses", sum, c.Ledger, c.Response.Count)
	}
}
