//go:build unix

package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// breaks measures local:nats of three nodes, which keep a stream, on three agents, while
// something breaks.
func breaks(t *testing.T, dir string, args ...string) *run {
	t.Helper()
	return begin(t, dir, nil, append([]string{
		"fault", "local:nats,nodes=3?stream=file&replicas=3", "--agents", "local:3", "--rate", "300", "--connections", "6", "--duration", "12s", "--warmup", "1s",
		"--timeout", "20s", "--out", filepath.Join(dir, "out"),
	}, args...)...)
}

// A node that brokerbench starts is killed while three agents measure: what became of the
// messages is what one process would say, and the audit comes after healing.
func TestAFaultBesideAgents(t *testing.T) {
	needsProc(t)
	for _, tt := range []struct {
		args []string
		name string
	}{
		{[]string{"--kill", "leader", "--at", "4s", "--for", "2s"}, "kill leader"},
		{[]string{"--pause", "all", "--at", "4s", "--for", "2s"}, "pause all"},
		{[]string{"--cut", "all", "--at", "4s", "--for", "2s"}, "cut all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := breaks(t, t.TempDir(), tt.args...)
			code := r.end()
			c := r.only()
			if code != 0 && code != 4 || len(c.Agents) != 3 || len(c.Faults) != 1 || c.Ledger.Due != 3600 || c.Ledger.Check() != nil {
				t.Fatalf("exit code %d, %d agents, %d faults, %+v: %s", code, len(c.Agents), len(c.Faults), c.Ledger, r.out.String())
			}
			f := c.Faults[0]
			if !f.Done() || f.HealedNS == nil || f.Error != "" || f.Impact == nil {
				t.Fatalf("%+v: %s", f, r.out.String())
			}
			if began := time.Duration(f.BeganNS); began < 5*time.Second || began > 8*time.Second {
				t.Errorf("it began at %v, want a second of warm-up and 4 s, or soon after", began)
			}
			h := f.Impact
			if h.Due != h.Done+h.Failed+h.Lost || h.Due < 1300 || h.BaseDue+h.Due != c.Ledger.Due {
				t.Errorf("%+v does not add up to %+v", *h, c.Ledger)
			}
			o := h.Outage()
			if o == nil {
				t.Fatalf("no outage is known: %+v", *h)
			}
			if 10*time.Duration(o.UsualNS) < 2*time.Second { // else the machine stood still as long before, and 2 s are no outage
				if !o.Shown {
					t.Errorf("no outage: %+v", *o)
				}
				if tt.name != "kill leader" && (o.WholeNS == 0 || o.Connections != 6) {
					t.Errorf("all stood still, and %+v", *o)
				}
			}
			const before = 4 * 300 // were due before it broke
			if c.Audit == nil || c.Audit.Error != "" || h.AckedLost == nil || *h.AckedLost != c.Audit.Missing || c.Audit.Acked < before {
				t.Errorf("audit %+v, impact %+v, want as many acknowledged and lost in both, and %d acknowledged", c.Audit, *h, before)
			}
			if len(c.Nodes) != 3 || c.Cost == nil || c.Cost.NodesCPUNS == nil {
				t.Errorf("what the nodes did: %+v %+v", c.Nodes, c.Cost)
			}
			if !strings.Contains(r.out.String(), tt.name) || !strings.Contains(r.out.String(), "3 agents") {
				t.Errorf("the fault and the agents are not shown: %s", r.out.String())
			}
			if left, _ := filepath.Glob(filepath.Join(r.dir, "out", results.LatestLink, results.CellsFolder, "*", results.AgentsFolder, "*", results.ImpactFile)); left != nil {
				t.Errorf("what travels was left: %v", left)
			}
			for _, pid := range processes() {
				if strings.Contains(commandLine(pid), r.dir) && pid != os.Getpid() {
					t.Errorf("process %d is left: %q", pid, commandLine(pid))
				}
			}
		})
	}
}

// An agent that is killed while something is broken: it is healed, and the cell is measured
// again, fault and all.
func TestAnAgentIsLostWhileSomethingIsBroken(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := breaks(t, t.TempDir(), "--pause", "all", "--at", "3s", "--for", "3s", "--duration", "8s")
	r.wants("on 3 agents")
	time.Sleep(6 * time.Second)
	pids := agents(t, r.cmd.Process.Pid)
	if len(pids) != 3 {
		t.Fatalf("agents %v: %s", pids, r.out.String())
	}
	signals(t, pids[1], 9)
	code := r.end()
	c := r.only()
	if code != 0 && code != 4 || !strings.Contains(r.out.String(), "given up: agent ") || len(c.Faults) != 1 || !c.Faults[0].Done() || c.Faults[0].HealedNS == nil {
		t.Errorf("exit code %d, %+v: %s", code, c.Faults, r.out.String())
	}
	if c.Ledger.Due != 2400 || c.Ledger.Check() != nil || slices.ContainsFunc(c.Agents, func(a results.Agent) bool { return a.Lost != "" }) {
		t.Errorf("%+v", c.Ledger)
	}
}

// Consumers that fall behind are the agents' own.
func TestConsumersOfAgentsFallBehind(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan.yaml")
	text := "targets: ['loopback:?delay=1ms']\nmatrix: {rate: 300, connections: 6}\nduration: 6s\nwarmup: 1s\nfloor: off\nfaults: [{at: 2s, pause: consumers, for: 1s}]\n"
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := begin(t, dir, nil, "run", plan, "--agents", "local:3", "--out", filepath.Join(dir, "out"), "--report", "off")
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	if len(c.Faults) != 1 || c.Faults[0].CatchUp == nil || c.Faults[0].Error != "" {
		t.Fatalf("%+v: %s", c.Faults, r.out.String())
	}
	if behind := c.Faults[0].CatchUp.Behind; behind < 250 || c.Faults[0].CatchUp.Undelivered != 0 {
		t.Errorf("%+v, want 300 or more behind, and none of them lost", *c.Faults[0].CatchUp)
	}
}
