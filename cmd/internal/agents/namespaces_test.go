//go:build unix

package agents

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A network is machines on one machine: namespaces that are joined by a bridge in one of
// their own. Machine i has the address 10.213.0.(i+1).
type network struct {
	t    *testing.T
	name string
	n    int
}

// networks counts them, for their names.
var networks atomic.Int32

// newNetwork makes so many machines, or skips the test, loudly, where that is not possible.
func newNetwork(t *testing.T, n int) *network {
	t.Helper()
	needsProc(t)
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root makes network namespaces")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("NOT TESTED: there is no ip command to make network namespaces with")
	}
	w := &network{t: t, name: fmt.Sprintf("bb%d-%d", os.Getpid(), networks.Add(1)), n: n}
	t.Cleanup(w.remove)
	if err := w.ip("netns", "add", w.name); err != nil {
		t.Skipf("NOT TESTED: this machine makes no network namespaces: %v", err)
	}
	w.must("-n", w.name, "link", "add", "br0", "type", "bridge")
	w.must("-n", w.name, "link", "set", "br0", "up")
	for i := range n {
		here, port := w.machine(i), fmt.Sprintf("p%d", i)
		w.must("netns", "add", here)
		w.must("link", "add", "eth0", "netns", here, "type", "veth", "peer", "name", port, "netns", w.name)
		w.must("-n", w.name, "link", "set", port, "master", "br0", "up")
		w.must("-n", here, "addr", "add", w.addr(i)+"/24", "dev", "eth0")
		w.must("-n", here, "link", "set", "eth0", "up")
		w.must("-n", here, "link", "set", "lo", "up")
	}
	return w
}

func (w *network) machine(i int) string { return fmt.Sprintf("%s-%d", w.name, i) }
func (w *network) addr(i int) string    { return fmt.Sprintf("10.213.0.%d", i+1) }

// on returns the words that run a command on a machine.
func (w *network) on(i int) []string { return []string{"ip", "netns", "exec", w.machine(i)} }

// link cuts a machine off, or joins it again.
func (w *network) link(i int, state string) {
	w.must("-n", w.name, "link", "set", fmt.Sprintf("p%d", i), state)
}

func (w *network) ip(args ...string) error {
	said, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return nil
}

func (w *network) must(args ...string) {
	w.t.Helper()
	if err := w.ip(args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *network) remove() {
	var errs []error
	for i := range w.n {
		errs = append(errs, w.ip("netns", "del", w.machine(i)))
	}
	errs = append(errs, w.ip("netns", "del", w.name))
	if err := errors.Join(errs...); err != nil {
		w.t.Log(err)
	}
}

// The machines: the coordinator's, the broker's, and those of the agents.
const (
	coordinators = iota
	brokersMachine
	firstAgent
)

// five starts a run on five machines: a coordinator, a broker, three agents.
func five(t *testing.T, window string, more ...string) (w *network, r *run, started []*run) {
	t.Helper()
	w = newNetwork(t, 5)
	dir := t.TempDir()
	broker := begin(t, dir, w.on(brokersMachine), natsForTests, w.addr(brokersMachine)+":4222")
	broker.wants("serves")
	r = begin(t, dir, w.on(coordinators), append([]string{
		"run", "nats://" + w.addr(brokersMachine) + ":4222", "--agents", "wait:3", "--control", "listen://" + w.addr(coordinators) + ":4777",
		"--rate", "300", "--connections", "6", "--duration", window, "--warmup", "1s", "--floor=off", "--out", filepath.Join(dir, "out"), "--report", "off",
	}, more...)...)
	r.wants("--join FILE")
	for i, file := range joinFiles(t, dir, 3) {
		started = append(started, begin(t, dir, w.on(firstAgent+i), "agent", "--join", file))
	}
	r.wants("on 3 agents")
	return w, r, started
}

func TestFiveMachines(t *testing.T) {
	t.Parallel()
	_, r, started := five(t, "4s")
	for _, a := range started {
		if ports := listening(a.cmd.Process.Pid); ports != nil {
			t.Errorf("an agent listens: %v", ports)
		}
	}
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	whole(t, c, 3)
	for _, a := range c.Agents {
		if a.Clock.DriftNS == nil {
			t.Fatalf("agent %s: its clock was not read after the cell", a.Name)
		}
		t.Logf("agent %s began within ±%v, drift %v, late %v", a.Name, time.Duration(a.Clock.BoundNS), time.Duration(*a.Clock.DriftNS), time.Duration(a.Clock.LateNS))
	}
}

// The coordinator is cut off for less than the lease: agents do not wait for it.
func TestACutShorterThanTheLease(t *testing.T) {
	t.Parallel()
	w, r, _ := five(t, "8s")
	time.Sleep(time.Second)
	w.link(coordinators, "down")
	time.Sleep(2 * time.Second)
	w.link(coordinators, "up")
	if code := r.end(); code != 0 || strings.Contains(r.out.String(), "given up") {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	if c := r.only(); c.Ledger.Done != 2400 || c.Ledger.Check() != nil || c.Interrupted {
		t.Errorf("%+v", c.Ledger)
	}
}

// A silent cut of 20 s, with a lease of 30: all is done, and delivered when the link is
// there again.
func TestACutOfTwentySecondsWithALongerLease(t *testing.T) {
	t.Parallel()
	w, r, _ := five(t, "8s", "--lease", "30s")
	w.link(firstAgent, "down")
	time.Sleep(20 * time.Second)
	w.link(firstAgent, "up")
	if code := r.end(); strings.Contains(r.out.String(), "given up") {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	if c.Ledger.Check() != nil || len(c.Agents) != 3 || c.Agents[0].Lost != "" || c.Agents[1].Ledger.Done != 800 {
		t.Errorf("%+v", c.Ledger)
	}
}

// A cut that is longer than the lease: the agent is lost, and back for another attempt.
func TestACutLongerThanTheLease(t *testing.T) {
	t.Parallel()
	w, r, _ := five(t, "8s", "--lease", "3s")
	w.link(firstAgent, "down")
	r.wants("given up: agent a1 was lost: not heard of for")
	w.link(firstAgent, "up")
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	if c := r.only(); c.Ledger.Done != 2400 || len(c.Agents) != 3 {
		t.Errorf("%+v", c.Ledger)
	}
}
