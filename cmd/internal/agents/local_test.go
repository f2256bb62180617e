//go:build unix

package agents

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

func TestThreeProcessesMakeOneResult(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:3")
	r.wants("on 3 agents")
	for _, pid := range agents(t, r.cmd.Process.Pid) {
		if ports := listening(pid); ports != nil {
			t.Errorf("agent %d listens: %v", pid, ports)
		}
		for _, secret := range secrets(t, r.dir) {
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if strings.Contains(commandLine(pid), secret) || strings.Contains(string(environ), secret) {
				t.Errorf("agent %d has a secret among its arguments or variables", pid)
			}
		}
	}
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	whole(t, c, 3)
	for _, a := range c.Agents {
		if a.Clock.BoundNS <= 0 || a.Clock.BoundNS > int64(5*time.Millisecond) || a.Connections != 2 || a.Environment.Host == "" {
			t.Errorf("%+v", a)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(r.dir, "state", "brokerbench", "*")); left != nil {
		t.Errorf("the run is over, and its secrets are still there: %v", left)
	}
}

// No secret of an agent is in any result.
func TestNoSecretIsInAResult(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:2")
	r.wants("on 2 agents")
	hidden := secrets(t, r.dir)
	if len(hidden) == 0 {
		t.Fatal("there are no secrets to look for")
	}
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	_ = filepath.WalkDir(filepath.Join(r.dir, "out"), func(path string, entry fs.DirEntry, _ error) error {
		if entry.IsDir() {
			return nil
		}
		text, _ := os.ReadFile(path)
		for _, secret := range hidden {
			if strings.Contains(string(text), secret) || strings.Contains(r.out.String(), secret) {
				t.Errorf("%s holds a secret, or what was printed", path)
			}
		}
		return nil
	})
}

func TestAnAgentThatIsKilledIsReplacedAndTheCellMeasuredAgain(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:3")
	r.wants("on 3 agents")
	signals(t, agents(t, r.cmd.Process.Pid)[1], syscall.SIGKILL)
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	for _, want := range []string{"its process ended: signal: killed", "given up: agent ", "was replaced by another process"} {
		if !strings.Contains(r.out.String(), want) {
			t.Errorf("it does not say %q: %s", want, r.out.String())
		}
	}
	whole(t, r.only(), 3)
}

func TestOnLossKeepKeepsTheCell(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:3", "--on-loss", "keep")
	r.wants("on 3 agents")
	signals(t, agents(t, r.cmd.Process.Pid)[1], syscall.SIGKILL)
	if code := r.end(); code != 4 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	p, ok := c.Problem(results.CodeAgents)
	if c.Ledger.Due != 1200 || c.Ledger.Lost != 400 || c.Verdict != results.Invalid || !ok || !strings.Contains(p.Text, "400 messages that it had to send") {
		t.Errorf("%+v, %s, %+v", c.Ledger, c.Verdict, p)
	}
}

// An agent that stands still for less than its lease has a gap in its numbers, and that
// is all.
func TestAnAgentThatIsFrozenForAMoment(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:3")
	r.wants("on 3 agents")
	time.Sleep(time.Second)
	frozen := agents(t, r.cmd.Process.Pid)[0]
	signals(t, frozen, syscall.SIGSTOP)
	time.Sleep(2 * time.Second)
	signals(t, frozen, syscall.SIGCONT)
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	whole(t, c, 3)
	if c.Response.MaxNS < int64(time.Second) {
		t.Errorf("the longest response is %v: the gap does not show", time.Duration(c.Response.MaxNS))
	}
}

func TestAnAgentThatIsFrozenForLongerThanItsLeaseIsLost(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:2", "--lease", "1s", "--agents-wait", "5s")
	r.wants("on 2 agents")
	frozen := agents(t, r.cmd.Process.Pid)[0]
	signals(t, frozen, syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(frozen, syscall.SIGKILL) })
	r.wants("given up: agent ")
	if code := r.end(); code != 4 {
		t.Errorf("exit code %d, want 4: %s", code, r.out.String())
	}
	if out := r.out.String(); !strings.Contains(out, "not heard of for") || !strings.Contains(out, "are not there after 5s") {
		t.Error(out)
	}
}

// Ctrl-C keeps what was measured, of all agents, and leaves no process.
func TestAnInterruptionKeepsWhatThereIs(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:2", "--duration", "60s")
	r.wants("on 2 agents")
	pids := agents(t, r.cmd.Process.Pid)
	time.Sleep(3 * time.Second)
	signals(t, r.cmd.Process.Pid, syscall.SIGINT)
	if code := r.end(); code != 130 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	if !c.Interrupted || c.Ledger.Done == 0 || c.Ledger.Check() != nil || c.OfferedPerS < 290 || c.OfferedPerS > 310 {
		t.Errorf("%+v at %v/s, interrupted: %v", c.Ledger, c.OfferedPerS, c.Interrupted)
	}
	for _, pid := range pids {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("agent %d is still there", pid)
		}
	}
}

// A coordinator that is killed leaves no agents that it started.
func TestAgentsEndWithTheirStandardInput(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:2", "--duration", "60s")
	r.wants("on 2 agents")
	pids := agents(t, r.cmd.Process.Pid)
	r.killed()
	for _, pid := range pids {
		waitFor(t, func() bool { return !strings.Contains(commandLine(pid), "\x00agent\x00") }, "agent %d ends", pid)
	}
}

func TestWhatIsRefusedBeforeAnythingBegins(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--agents", "local:7"}, "has 6 connections, which 7 agents cannot share"},
		{[]string{"--agents", "local:2", "--topics", "1", "--groups", "2", "--members", "2"}, "2 agents cannot share 1 topic: all copies of a message must come back to the agent that sent it, because clocks differ, so no two agents can have one topic (--topics 2 or a multiple)"},
		{[]string{"--agents", "local:3", "--topics", "3", "--groups", "2", "--members", "2"}, "3 agents cannot share 2 members of each group: they receive only from the topics of one agent (--members 3 or a multiple)"},
		{[]string{"--agents", "local:0"}, "want local:N"},
		{[]string{"--agents", "vm1"}, "want local:3, ssh://"},
		{[]string{"--agents", "ssh://a,b"}, "want ssh://HOST"},
		{[]string{"--agents", "ssh://-oProxyCommand=x"}, "is no host"},
		{[]string{"--agents", "ssh://a,ssh://a"}, "is there twice"},
		{[]string{"--agents", "ssh://vm1,ssh://root@VM1:22"}, "vm1 is there twice"},
		{[]string{"--agents", "k8s"}, "want k8s:N"},
		{[]string{"--control", "nats://h"}, "go with --agents"},
		{[]string{"--agents", "local:2", "--context", "x"}, "goes with --agents k8s:N"},
		{[]string{"--agents", "local:2", "--agents-binary", "x"}, "goes with --agents ssh://HOST"},
		{[]string{"--agents-binary", "x"}, "goes with --agents ssh://HOST"},
		{[]string{"--agents", "local:2", "--max-skew", "-1s"}, "--max-skew is not negative"},
		{[]string{"--agents", "wait:2", "--control", "x"}, "want nats://HOST:PORT"},
		{[]string{"nats://127.0.0.1:4222", "--agents", "wait:2", "--control", "nats://localhost"}, "is the target nats://127.0.0.1:4222 itself"},
		{[]string{"amqp://u:s3cret@broker.invalid", "--agents", "wait:2", "--control", "nats://control.invalid"}, "is not encrypted, and the target"},
		{[]string{"nats://127.0.0.1", "--agents", "ssh://vm1"}, "is this machine's own"},
	} {
		r := measures(t, dir, tt.args...)
		if code := r.end(); code != 2 || !strings.Contains(r.out.String(), tt.want) || strings.Contains(r.out.String(), "s3cret") {
			t.Errorf("%v: exit code %d: %s; want %q", tt.args, code, r.out.String(), tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a folder of results was made")
	}
}

// An agent that is told to end, as by systemctl stop, delivers what it measured until then. The
// others go on.
func TestALocalAgentThatIsToldToEndDelivers(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r, started := waits(t, t.TempDir(), 2, "--on-loss", "keep", "--duration", "12s")
	r.wants("on 2 agents")
	time.Sleep(4 * time.Second)
	begun := time.Now()
	signals(t, started[0].cmd.Process.Pid, syscall.SIGTERM)
	if code := started[0].end(); code != 130 || !strings.Contains(started[0].out.String(), "it ends once what was measured is delivered") {
		t.Errorf("exit code %d: %s", code, started[0].out.String())
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	r.end()
	c := r.only()
	if a := c.Agents[0]; a.Ledger.Done < 300 || a.Ledger.Done > 1500 || c.Agents[1].Ledger.Done != 1800 || c.Interrupted {
		t.Errorf("%+v and %+v: %s", a, c.Agents[1].Ledger, r.out.String())
	}
	started[1].end()
}
