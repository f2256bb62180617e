package kubernetes_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A network is the machines of a test, each a network namespace, joined by a bridge in
// another namespace. The first ones are nodes; the last is outside of the cluster.
type network struct {
	t     *testing.T
	name  string
	nodes int
}

// newNetwork makes a network, or skips the test, loudly, where that is not possible.
func newNetwork(t *testing.T, nodes int) *network {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root makes namespaces")
	}
	w := &network{t: t, name: fmt.Sprintf("kb%d", os.Getpid()), nodes: nodes}
	t.Cleanup(w.remove)
	if err := ip("netns", "add", w.name); err != nil {
		t.Skipf("NOT TESTED: this machine makes no network namespaces: %v", err)
	}
	w.must("-n", w.name, "link", "add", "br0", "type", "bridge")
	w.must("-n", w.name, "link", "set", "br0", "up")
	for i := range nodes + 1 {
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
func (w *network) addr(i int) string    { return fmt.Sprintf("10.214.0.%d", i+1) }
func (w *network) outside() string      { return w.addr(w.nodes) }

// file is the network namespace of a node.
func (w *network) file(i int) string { return filepath.Join("/run/netns", w.machine(i)) }

// command is a program on the machine that is outside of the cluster.
func (w *network) command(program string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", w.machine(w.nodes), program}, args...)...)
}

func (w *network) must(args ...string) {
	w.t.Helper()
	if err := ip(args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *network) remove() {
	for i := range w.nodes + 1 {
		_ = ip("netns", "del", w.machine(i)) // an error: it was not made
	}
	_ = ip("netns", "del", w.name)
}

func ip(args ...string) error {
	said, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return nil
}
