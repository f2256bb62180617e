//go:build unix

package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
)

// sshd finds an ssh server, or installs one where that is possible.
func sshd(t *testing.T) string {
	t.Helper()
	said, err := exec.Command("./sshd.sh", t.TempDir()).CombinedOutput()
	words := strings.Fields(string(said))
	if err != nil || len(words) == 0 {
		t.Skipf("NOT TESTED: there is no ssh server: %v: %s", err, said)
	}
	return words[len(words)-1]
}

// keys makes the keys of a server and of a user.
func keys(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"host", "user"} {
		if said, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
}

func write(t *testing.T, path, format string, args ...any) {
	t.Helper()
	if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveSSH starts ssh servers on all machines but 0, whose users have homes of their own, and
// returns the words that run a command on machine 0, which reaches them as vm1, vm2 and so on.
func serveSSH(t *testing.T, w *network, dir string, options ...string) (here []string) {
	t.Helper()
	server := sshd(t)
	keys(t, dir)
	key, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		t.Fatal(err)
	}
	var known, config string
	for i := 1; i < w.n; i++ {
		home := filepath.Join(dir, fmt.Sprintf("home%d", i))
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, fmt.Sprintf("sshd%d.conf", i))
		write(t, file, "Port 2222\nListenAddress %s\nHostKey %[2]s/host\nAuthorizedKeysFile %[2]s/user.pub\nStrictModes no\nUsePAM no\nPidFile none\nSetEnv HOME=%s %s=1\n",
			w.addr(i), dir, home, program)
		words := append(w.on(i), server, "-D", "-e", "-f", file)
		c := exec.Command(words[0], words[1:]...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		waitFor(t, func() bool { return listening(c.Process.Pid) != nil }, "sshd %d listens", i)
		known += fmt.Sprintf("[%s]:2222 %s", w.addr(i), key)
		config += fmt.Sprintf("Host vm%d\n  HostName %s\n", i, w.addr(i))
	}
	write(t, filepath.Join(dir, "known"), "%s", known)
	write(t, filepath.Join(dir, "config"), "%sHost *\n  Port 2222\n  User root\n  IdentityFile %[2]s/user\n  UserKnownHostsFile %[2]s/known\n", config, dir)
	ssh := append([]string{"ssh", "-F", filepath.Join(dir, "config")}, options...)
	return append(w.on(0), "env", "BROKERBENCH_SSH="+strings.Join(ssh, " "))
}

// One of these tests runs at a time: each copies the program to two machines, and looks for every agent there.
func TestAgentsOverSSH(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	t.Run("two runs", twoRunsOverSSH)
	t.Run("killed", anSSHIsKilled)
	t.Run("no such host", aHostIsNotThere)
}

// A run on two machines over ssh, which carries the control connection, too: nobody listens
// but sshd. Then another: the program is there already.
func twoRunsOverSSH(t *testing.T) {
	w, dir := newNetwork(t, 3), t.TempDir()
	here := serveSSH(t, w, dir)
	for n := range 2 {
		begun := time.Now()
		r := begin(t, dir, here, runOverSSH(dir, "4s")...)
		r.wants("on 2 agents")
		for _, pid := range remote() {
			if ports := listening(pid); ports != nil {
				t.Errorf("agent %d listens: %v", pid, ports)
			}
		}
		if code := r.end(); code != 0 {
			t.Fatalf("exit code %d: %s", code, r.out.String())
		}
		c := r.only()
		whole(t, c, 2)
		if c.Agents[0].Name != "vm1" || c.Agents[1].Name != "vm2" {
			t.Errorf("agents %s and %s", c.Agents[0].Name, c.Agents[1].Name)
		}
		t.Logf("run %d took %v", n+1, time.Since(begun).Round(time.Second/10))
	}
	copies, _ := filepath.Glob(filepath.Join(dir, "home*", ".cache", "brokerbench", "*", "*"))
	if len(copies) != 2 {
		t.Errorf("there are copies %v, want one on each machine", copies)
	}
}

// The ssh of the coordinator is killed: the agent ends, is started again, and the cell is
// measured again.
func anSSHIsKilled(t *testing.T) {
	w, dir := newNetwork(t, 3), t.TempDir()
	here := serveSSH(t, w, dir)
	r := begin(t, dir, here, runOverSSH(dir, "4s")...)
	r.wants("on 2 agents")
	before := remote()
	for _, pid := range children(r.cmd.Process.Pid) {
		if strings.Contains(commandLine(pid), "vm1") {
			signals(t, pid, syscall.SIGKILL)
		}
	}
	r.wants("given up: agent vm1 was lost")
	ended := func(pid int) bool { return !slices.Contains(remote(), pid) }
	waitFor(t, func() bool { return slices.ContainsFunc(before, ended) }, "one of the agents %v ends", before)
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	whole(t, r.only(), 2)
	waitFor(t, func() bool { return len(remote()) == 0 }, "no agent is left")
}

func aHostIsNotThere(t *testing.T) {
	w, dir := newNetwork(t, 3), t.TempDir()
	here := serveSSH(t, w, dir, "-o", "ConnectTimeout=2")
	r := begin(t, dir, here, append(runOverSSH(dir, "4s"), "--agents", "ssh://vm1,ssh://10.213.0.77")...)
	if code := r.end(); code != 1 || !strings.Contains(r.out.String(), "ssh://10.213.0.77: exit status 255") {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
}

func runOverSSH(dir, window string) []string {
	return []string{
		"run", "loopback:?delay=1ms", "--agents", "ssh://vm1,ssh://vm2", "--rate", "300", "--connections", "6", "--duration", window, "--warmup", "1s",
		"--floor=off", "--out", filepath.Join(dir, "out"), "--report", "off",
	}
}

// remote returns the agents that run from a copy of the program.
func remote() (pids []int) {
	for _, pid := range processes() {
		if line := commandLine(pid); strings.Contains(line, "/.cache/brokerbench/") && strings.HasSuffix(line, "\x00agent\x00--join\x00-\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}
