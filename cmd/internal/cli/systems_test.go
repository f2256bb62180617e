//go:build linux

package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/faults/network"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/results"
)

// cached gives ready-made systems a folder of the test's, and returns it.
func cached(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return dir
}

// nodesIn returns the processes that were started in a folder, but for this one.
func nodesIn(dir string) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cwd, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		command, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if strings.HasPrefix(cwd, dir) || strings.Contains(string(command), dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// wantNothingLeft wants no process, and no folder of a system, before long.
func wantNothingLeft(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		folders, _ := filepath.Glob(filepath.Join(dir, "brokerbench", "systems", "*"))
		pids := nodesIn(dir)
		if len(folders)+len(pids) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left: %v, processes %v", folders, pids)
		}
	}
}

func TestAReadyMadeClusterIsMeasured(t *testing.T) {
	dir := cached(t)
	code, run, cells, stderr := runJSON(t, "local:nats,nodes=3,durability=node", "--rate", "100", "--duration", "2s", "--warmup", "1s", "--repeat", "2")
	if code != command.ExitGood && code != command.ExitInvalid || len(cells) != 2 { // a busy machine makes cells invalid
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if got := run.Plan.Targets[0].URL; got != "local:nats,nodes=3,durability=node" {
		t.Errorf("the target is %s", got)
	}
	for _, c := range cells {
		if len(c.Nodes) != 3 || c.Cost == nil || c.Cost.Messages != c.Ledger.Done {
			t.Fatalf("nodes %+v, cost %+v", c.Nodes, c.Cost)
		}
		for i, n := range c.Nodes {
			if n.Node != strconv.Itoa(i+1) || n.Processes != 1 || *n.CPUNS <= 0 || *n.ResidentBytes < 1<<20 {
				t.Errorf("node %+v", n)
			}
		}
		if d := c.Broker.Durability; d == nil || d.Level != "node" {
			t.Errorf("durability %+v", d)
		}
	}
	wantNothingLeft(t, dir)
}

// A broker that is kept runs from its first cell on, and is ended with the run.
func TestAKeptBrokerStartsOnce(t *testing.T) {
	dir := cached(t)
	code, _, cells, stderr := runJSON(t, "kept=local:nats,keep=run", "other=local:nats", "--progress", "auto", "--quiet=false", "--rate", "100", "--duration", "1s", "--warmup", "0s", "--repeat", "3")
	if code != command.ExitGood && code != command.ExitInvalid || len(cells) != 6 {
		t.Fatalf("exit code %d, %d cells: %s", code, len(cells), stderr)
	}
	if kept, other := strings.Count(stderr, "starting kept"), strings.Count(stderr, "starting other"); kept != 1 || other != 3 && other != 2 {
		t.Errorf("kept was started %d times, other %d times: %s", kept, other, stderr)
	}
	for _, c := range cells {
		if c.Ledger.Done == 0 || len(c.Nodes) != 1 || c.Nodes[0].Processes != 1 {
			t.Errorf("%s: %+v, nodes %+v", c.ID, c.Ledger, c.Nodes)
		}
	}
	wantNothingLeft(t, dir)
}

// The network of nodes that are machines of their own breaks by namespaces, also between nodes.
func TestNodesOnANetworkOfTheirOwn(t *testing.T) {
	if err := network.Check(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	for _, target := range []string{"local:redis,nodes=3,network=namespaces", "local:redis-cluster,network=namespaces"} {
		t.Run(target, func(t *testing.T) {
			dir, file := cached(t), filepath.Join(t.TempDir(), "plan.yaml")
			text := "targets: ['" + target + "']\nmatrix: {rate: 100}\nduration: 4s\nwarmup: 0s\nfaults: [{at: 1s, do: cut, node: 3, for: 1s}]\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, cells, stderr := runJSON(t, "-f", file)
			if code != command.ExitGood && code != command.ExitInvalid || len(cells) != 1 || len(cells[0].Faults) != 1 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if f := cells[0].Faults[0]; f.By != results.ByNamespaces || f.HealedNS == nil {
				t.Errorf("%+v", f)
			}
			wantNothingLeft(t, dir)
		})
	}
}

// A node that dies in a cell, and that no fault has ended, is named.
func TestANodeThatDiesByItselfIsNamed(t *testing.T) {
	dir := cached(t)
	out := t.TempDir()
	end := beside(func(ended <-chan struct{}) {
		if !loggedASecond(out, ended) {
			return
		}
		for _, pid := range nodesIn(dir) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	code, _, cells, stderr := runJSON(t, "local:nats", "--rate", "100", "--duration", "8s", "--warmup", "0s", "--timeout", "500ms", "--out", out)
	end()
	if code != command.ExitInvalid || len(cells) != 1 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	p, ok := cells[0].Problem(results.CodeNode)
	if !ok || !strings.HasPrefix(p.Text, "node 1 ended between ") || len(cells[0].EndedNodes) != 1 {
		t.Errorf("%+v, %+v", p, cells[0].EndedNodes)
	}
	wantNothingLeft(t, dir)
}

// runningIn starts this test binary as brokerbench, in a process group of its own, and returns
// once the three nodes of its system are there. What it prepares is in dir.
func runningIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append([]string{"run", "--out", t.TempDir(), "--floor", "off", "--duration", "10m"}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=1", "XDG_CACHE_HOME="+dir)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	poll.Until(t, time.Minute, func() bool { return len(nodesIn(dir)) >= 3 }, "no nodes are started")
	return c
}

// Whatever becomes of brokerbench, no node outlives it: while they start, and in a cell.
func TestNoNodeOutlivesBrokerbench(t *testing.T) {
	t.Parallel()
	target := "local:nats,nodes=3"
	if os.Getuid() == 0 {
		target += ",data=128MiB" // there is something to unmount, too
	}
	for name, end := range map[string]func(pid int) error{
		"killed":                 func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
		"its group killed":       func(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) },
		"terminated":             func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) },
		"interrupted as a group": func(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) },
	} {
		for when, wait := range map[string]time.Duration{"while they start": 0, "in a cell": 8 * time.Second} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				c := runningIn(t, dir, "--quiet", "--warmup", "0s", target)
				time.Sleep(wait) // when exactly makes no difference
				for range 2 {    // the second ends the cell
					if err := end(c.Process.Pid); err != nil {
						break // it has ended
					}
					time.Sleep(100 * time.Millisecond)
				}
				_ = c.Wait()
				wantNothingLeft(t, dir)
			})
		}
	}
}

// If the guardian is killed, brokerbench undoes everything; if both are, clean does. Their descendants,
// mounts and networks are gone, too.
func TestNothingOutlivesTheGuardian(t *testing.T) {
	target := "local:nats,nodes=3"
	if os.Getuid() == 0 {
		target += ",data=128MiB"
		if _, err := exec.LookPath("nft"); err == nil {
			target += ",network=namespaces"
		}
	}
	for name, both := range map[string]bool{"only the guardian is killed": false, "brokerbench is killed, too": true} {
		t.Run(name, func(t *testing.T) {
			dir := cached(t)
			before := namespaces()
			c := runningIn(t, dir, "--quiet", "--warmup", "0s", "--duration", "5s", target)
			poll.Until(t, time.Minute, func() bool { return serversIn(dir) >= 3 }, "no servers are started")
			if both { // otherwise it may undo everything before it is killed
				_ = c.Process.Signal(syscall.SIGSTOP)
			}
			for _, id := range process.Family(c.Process.Pid) {
				if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id.PID)); strings.Contains(string(line), "guardian-child") {
					_ = id.Kill()
				}
			}
			if both {
				_ = c.Process.Kill()
			}
			_ = c.Wait()
			if both {
				poll.Until(t, time.Minute, func() bool { // the guardian owns its journal until its last thread has ended
					code, stdout, stderr := invoke("clean", "local:nats", "--dry-run")
					wantCode(t, code, command.ExitGood, stderr)
					return strings.Contains(stdout, "remove "+dir) && strings.Contains(stdout, "would be done")
				}, "a dry run finds nothing")
				code, stdout, stderr := invoke("clean", "local:nats")
				wantCode(t, code, command.ExitGood, stderr)
				wantTexts(t, stdout, "remove "+dir, "done")
			}
			wantNothingLeft(t, dir)
			if mounts, err := process.MountsBelow(dir); err != nil || len(mounts) > 0 {
				t.Errorf("%v is mounted, %v", mounts, err)
			}
			if after := namespaces(); len(after) > len(before) {
				t.Errorf("namespaces %v, before %v", after, before)
			}
			code, stdout, stderr := invoke("clean", "local:")
			wantCode(t, code, command.ExitGood, stderr)
			wantTexts(t, stdout, "nothing is left")
		})
	}
}

// serversIn counts the servers whose configuration is in a folder.
func serversIn(dir string) (n int) {
	for _, pid := range nodesIn(dir) {
		if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); strings.Contains(string(line), "nats.conf") {
			n++
		}
	}
	return n
}

// namespaces returns those that brokerbench made.
func namespaces() []string {
	found, _ := filepath.Glob("/run/netns/brokerbench-*")
	return found
}

// planOf writes a plan whose only target is run as the nodes say.
func planOf(t *testing.T, nodes string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.yaml")
	text := "duration: 1s\nwarmup: 0s\nfloor: off\nmatrix: {rate: 50, size: 64B}\ntargets:\n- url: nats://127.0.0.1:1\n  nodes:\n  - " + nodes + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A node that does not come up is said with what it said.
func TestANodeThatDoesNotComeUp(t *testing.T) {
	for nodes, want := range map[string]string{
		`command: [sh, -c, "echo no space left on device; exit 28"]`: "starting nats: node 1 ended before it was ready: exit status 28; it logged \"no space left on device\" (to keep all of it, give the node a log, a file)",
		`command: [/no/such/server]`:                                 "starting nats: starting node 1: starting /no/such/server: fork/exec /no/such/server: no such file or directory\n",
		`{command: [sleep, "60"], ready-in: 300ms}`:                  "starting nats: node 1 is not ready after 300ms; it logged nothing\n",
		`pid: 999999999`: "starting nats: starting node 1: pid 999999999: there is no such process",
	} {
		code, _, stderr := invoke("run", "--quiet", "--report", "off", "--out", t.TempDir(), "-f", planOf(t, nodes))
		if code != command.ExitError || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want 1 and %q in\n%s", nodes, code, want, stderr)
		}
	}
}

// A looker is where results are printed, and sees whether a file is there when they begin.
type looker struct {
	strings.Builder
	file  string
	found bool
}

func (l *looker) Write(text []byte) (int, error) {
	if _, err := os.Stat(l.file); l.Len() == 0 && err == nil {
		l.found = true
	}
	return l.Builder.Write(text)
}

// Results do not wait for nodes that take their time to end.
func TestResultsArePrintedWhileNodesEnd(t *testing.T) {
	dir := t.TempDir()
	node := fmt.Sprintf(`command: [sh, -c, "trap 'sleep 3; touch %s/ended; exit' TERM; while :; do sleep 0.01; done"]`, dir)
	out := &looker{file: filepath.Join(dir, "ended")}
	plan := planOf(t, node)
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plan, []byte(strings.Replace(string(text), "nats://127.0.0.1:1", "'loopback:'", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	code := Main([]string{"run", "--quiet", "--report", "off", "--out", t.TempDir(), "-f", plan}, command.Streams{In: strings.NewReader(""), Out: out, Err: &errs, Brokers: brokers.All()})
	if code != command.ExitGood && code != command.ExitInvalid || out.Len() == 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	if out.found {
		t.Error("the nodes had ended before")
	}
	if _, err := os.Stat(out.file); err != nil {
		t.Error("the nodes had not ended afterwards")
	}
}

// The nodes of a plan are watched, and what they printed is in the file that they name.
func TestNodesOfAPlan(t *testing.T) {
	s := server(t)
	out := t.TempDir()
	file := planOf(t, fmt.Sprintf("pid: %d", s.PID))
	code, stdout, stderr := invoke("run", s.URL, "--quiet", "--report", "off", "--out", out, "-f", file, "--format", "csv")
	if code != command.ExitGood && code != command.ExitInvalid || !strings.Contains(stdout, "50") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "nats://127.0.0.1:1", s.URL, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = invoke("run", "--quiet", "--report", "off", "--out", out, "-f", file)
	if code != command.ExitGood && code != command.ExitInvalid {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	runs, err := results.List(out)
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	cells, _ := filepath.Glob(filepath.Join(out, "2*", results.CellsFolder, "*", results.NodesTable))
	if len(cells) != 1 {
		t.Fatalf("%v: one of two runs knows its node", cells)
	}
	f, err := os.Open(cells[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if lines.Scan(); lines.Text() != "from_ns,to_ns,node,processes,cpu_ns,resident_bytes,read_bytes,written_bytes,cancelled_bytes" {
		t.Errorf("the table begins with %s", lines.Text())
	}
}
