//go:build unix

package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
)

// A far is five machines: this one, that of the brokers, and three of agents. Each but the first has an sshd.
type far struct {
	w    *network
	dir  string
	here []string // runs a command on machine 0
}

// Brokers run on another machine by the plan alone, with clients on three others. However the run ends, nothing is
// left on any machine. The tests share the machines, one after the other.
func TestNodesOverSSH(t *testing.T) {
	f := far{w: newNetwork(t, 5), dir: t.TempDir()}
	f.here = serveSSH(t, f.w, f.dir, "-o", "ConnectTimeout=3")
	t.Run("the coordinator is killed", f.coordinatorKilled)
	t.Run("Ctrl-C twice", f.interrupted)
	t.Run("mistakes", f.mistakes)
	longtest.Only(t)
	t.Run("measured and killed", f.measured)
	t.Run("paused and cut off", f.pausedAndCut)
	t.Run("ssh is killed", f.sshKilled)
	t.Run("the network is cut", f.networkCut)
}

func (f far) measured(t *testing.T) {
	targets, cells := f.nats()+f.redis(t), 2
	if !strings.Contains(targets, "redis:") {
		cells = 1
	}
	r := f.begin(t, targets+"faults: [{at: 2s, do: kill, node: 1, restart: 1s}]\n", "6s", "--agents", "ssh://vm2,ssh://vm3,ssh://vm4")
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	if n := len(r.cells()); n != cells {
		t.Errorf("%d cells, want %d: %s", n, cells, r.out.String())
	}
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	release := strings.TrimSpace(string(text))
	for _, c := range r.cells() {
		if err := c.Ledger.Check(); err != nil || c.Ledger.Due != 1800 || c.Ledger.Done < 1000 || c.Ledger.Done == 1800 || len(c.Agents) != 3 {
			t.Errorf("%s: %v, %+v of %d agents", c.ID, err, c.Ledger, len(c.Agents))
		}
		if k := c.Broker.Kernel; k == nil || *k != release {
			t.Errorf("%s: kernel %v, want %s", c.ID, k, release)
		}
		if len(c.Faults) != 1 || c.Faults[0].Error != "" || c.Faults[0].BrokenNS == 0 || c.Faults[0].HealedNS == nil || !c.Faults[0].Impact.Deliveries.Shown {
			t.Errorf("%s: %+v", c.ID, c.Faults)
		}
		if len(c.Nodes) != 1 || c.Nodes[0].CPUNS == nil || *c.Nodes[0].CPUNS == 0 || c.Cost == nil || c.Plan.Target.System.Nodes[0].On != "ssh://vm1" {
			t.Errorf("%s: %+v, %+v", c.ID, c.Nodes, c.Cost)
		}
	}
	f.nothingRuns(t)
}

// Without agents the relay that cuts a node off is on this machine, where its clients are.
func (f far) pausedAndCut(t *testing.T) {
	r := f.begin(t, f.nats()+"faults: [{at: 1s, do: pause, node: 1, for: 2s}, {at: 5s, do: cut, node: 1, for: 2s}]\n", "9s")
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	for _, one := range r.only().Faults {
		if one.Error != "" || one.HealedNS == nil || one.Impact == nil || one.Impact.Deliveries == nil || !one.Impact.Deliveries.Shown {
			t.Errorf("%+v", one)
		}
	}
	f.nothingRuns(t)
}

func (f far) coordinatorKilled(t *testing.T) {
	r := f.under(t, "--agents", "ssh://vm2,ssh://vm3,ssh://vm4")
	signals(t, r.cmd.Process.Pid, syscall.SIGKILL)
	_ = r.end()
	f.nothingRuns(t)
}

// The node ends at once, before the cell does, which then has messages that failed.
func (f far) sshKilled(t *testing.T) {
	r := f.under(t)
	for _, pid := range children(r.cmd.Process.Pid) {
		if strings.Contains(commandLine(pid), "vm1") {
			signals(t, pid, syscall.SIGKILL)
		}
	}
	f.nothingRuns(t)
	r.end()
	if c := r.only(); len(c.EndedNodes) != 1 || c.Ledger.Check() != nil || c.Ledger.Done == c.Ledger.Due {
		t.Errorf("%+v, %+v: %s", c.EndedNodes, c.Ledger, r.out.String())
	}
}

// Neither side hears that the connection is gone.
func (f far) networkCut(t *testing.T) {
	r := f.under(t)
	f.w.link(1, "down")
	defer f.w.link(1, "up")
	f.nothingRuns(t)
	if code := r.end(); code == 0 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	if c := r.only(); c.Ledger.Check() != nil || c.Ledger.Done == c.Ledger.Due {
		t.Errorf("%+v", c.Ledger)
	}
}

func (f far) interrupted(t *testing.T) {
	r := f.under(t)
	signals(t, r.cmd.Process.Pid, syscall.SIGINT)
	r.wants("stopping: ")
	signals(t, r.cmd.Process.Pid, syscall.SIGINT)
	if code := r.end(); code != 130 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	f.nothingRuns(t)
}

func (f far) mistakes(t *testing.T) {
	keys(t, filepath.Join(f.dir, "home4")) // which no sshd knows
	config, err := os.ReadFile(filepath.Join(f.dir, "config"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(f.dir, "stranger"), "%s", strings.Replace(string(config), f.dir+"/user\n", f.dir+"/home4/user\n  IdentitiesOnly yes\n", 1))
	stranger := append(f.w.on(0), "env", "BROKERBENCH_SSH=ssh -F "+filepath.Join(f.dir, "stranger"))
	taken := begin(t, t.TempDir(), f.w.on(1), natsForTests, f.w.addr(1)+":4222")
	taken.wants("serves")
	for name, tt := range map[string]struct {
		here          []string
		targets, want string
		code          int
	}{
		"no such host":  {f.here, strings.Replace(f.nats(), "vm1", "10.213.0.77", 1), "ssh://10.213.0.77: exit status 255: ", 1},
		"another key":   {stranger, f.nats(), "ssh://vm1: exit status 255: root@10.213.0.2: Permission denied (", 1},
		"a port in use": {f.here, f.nats(), "node 1: 10.213.0.2:4222 is taken: another process listens there", 1},
		"a local path":  {f.here, strings.Replace(f.nats(), "on:", "data: here, on:", 1), `data "here" is a path of this machine: on ssh://vm1 it begins with /`, 2},
		"a disk there":  {f.here, strings.Replace(f.nats(), "on:", "data: /srv/n1, on:", 1) + "faults: [{at: 1s, do: fill-disk, node: 1}]\n", "node 1: its data is on ssh://vm1, not on this machine", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := far{f.w, f.dir, tt.here}
			r := f.begin(t, tt.targets, "2s")
			code := r.end()
			if !strings.Contains(r.out.String(), tt.want) || code != tt.code {
				t.Errorf("exit code %d, want %d: %s\nwant %s", code, tt.code, r.out.String(), tt.want)
			}
		})
	}
	signals(t, taken.cmd.Process.Pid, syscall.SIGKILL)
	_ = taken.end()
	f.nothingRuns(t)
}

// nats returns a plan with a NATS server on machine 1.
func (f far) nats() string {
	return fmt.Sprintf("targets:\n  - url: nats://%[1]s:4222\n    nodes: [{command: [env, %[2]s=1, %[3]s, %[4]s, '%[1]s:4222'], on: 'ssh://vm1'}]\n",
		f.w.addr(1), program, self(f.w.t), natsForTests)
}

// redis returns another target for the plan; "" where there is no Redis.
func (f far) redis(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Log("NOT TESTED: Redis, as there is no redis-server")
		return ""
	}
	return fmt.Sprintf("  - url: redis://%[1]s:6379\n    nodes: [{command: [redis-server, --bind, %[1]s, --protected-mode, 'no'], on: 'ssh://vm1'}]\n", f.w.addr(1))
}

// begin starts a run of a plan.
func (f far) begin(t *testing.T, targets, window string, more ...string) *run {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "plan.yaml")
	write(t, file, "%smatrix: {rate: 300, connections: 6}\nduration: %s\nwarmup: 1s\ntimeout: 5s\nfloor: off\n", targets, window)
	return begin(t, dir, f.here, append([]string{"run", file, "--out", filepath.Join(dir, "out"), "--report", "off"}, more...)...)
}

// under starts a run, and waits until messages are due.
func (f far) under(t *testing.T, more ...string) *run {
	t.Helper()
	r := f.begin(t, f.nats(), "12s", more...)
	r.under("6 connections")
	if len(f.running()) == 0 {
		t.Fatal("no node runs")
	}
	return r
}

// nothingRuns wants no program and no broker to be left on the other machines.
func (f far) nothingRuns(t *testing.T) {
	t.Helper()
	var left []string
	waitFor(t, func() bool {
		left = f.running()
		return len(left) == 0
	}, "nothing is left: %v", &left)
}

// running returns the processes of copies of the program, and of brokers.
func (f far) running() (lines []string) {
	for _, pid := range processes() {
		line := strings.ReplaceAll(commandLine(pid), "\x00", " ")
		if strings.Contains(line, f.dir+"/home") || strings.Contains(line, natsForTests+" "+f.w.addr(1)) || strings.HasPrefix(line, "redis-server "+f.w.addr(1)) {
			lines = append(lines, fmt.Sprint(pid, " ", line))
		}
	}
	return lines
}
