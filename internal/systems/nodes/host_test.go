//go:build linux

package nodes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
	"github.com/brokerbench/brokerbench/internal/systems/guardian/guardiantest"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// elsewhere makes a system of one node that runs on another machine, which is this one: an ssh that only
// runs the command reaches it.
func elsewhere(t *testing.T, n plan.Node, version string) *System {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	fake := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	n.On = "ssh://vm4"
	s, err := New(plan.System{Nodes: []plan.Node{n}}, Options{
		Guardian: guardiantest.Start(t), Logs: t.TempDir(), Version: version,
		SSH: sync.OnceValues(func() (*ssh.Program, error) { return ssh.New([]string{fake}, "") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// running returns the processes below this one that were started with an argument.
func running(argument string) (list []process.ID) {
	for _, id := range process.Family(os.Getpid()) {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id.PID), "cmdline"))
		if slices.Contains(strings.Split(string(text), "\x00"), argument) {
			list = append(list, id)
		}
	}
	return list
}

func TestANodeOnAnotherMachineIsBrokenAndHealed(t *testing.T) {
	n := node(t, "1", server)
	s := elsewhere(t, n, "v1")
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if release, err := exec.Command("uname", "-r").Output(); err != nil || s.Kernel() != strings.TrimSpace(string(release)) {
		t.Errorf("kernel %q, want %q (%v)", s.Kernel(), release, err)
	}
	first := running(n.Address)
	if len(first) != 1 {
		t.Fatalf("%d processes", len(first))
	}
	far := s.Node("1")
	s.Sample(func() {})
	eventually(t, "the process is sampled", func() bool {
		u := s.Sample(func() {})
		return len(u) == 1 && u[0].Node == "1" && u[0].Processes == 1 && u[0].CPUNS != nil && *u[0].ResidentBytes > 0
	})
	if err := far.Pause(t.Context()); err != nil || processtest.State(t, first[0].PID) != "T" {
		t.Errorf("%v, state %s", err, processtest.State(t, first[0].PID))
	}
	if err := errors.Join(far.Resume(t.Context()), far.Kill(t.Context())); err != nil || first[0].Alive() {
		t.Errorf("%v, alive: %v", err, first[0].Alive())
	}
	if err := far.Kill(t.Context()); !errors.Is(err, process.ErrEnded) || !strings.HasPrefix(err.Error(), "ssh://vm4: killing node 1: ") {
		t.Error(err)
	}
	eventually(t, "a sample without processes", func() bool { return s.Sample(func() {})[0].Processes == 0 })
	if err := far.Start(t.Context()); err != nil || len(running(n.Address)) != 1 {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil || len(running(n.Address))+len(running(childCommand)) != 0 {
		t.Errorf("%v, left: %v", err, running(n.Address))
	}
}

// A sample that comes late counts once, in the next interval, with what the nodes did after it.
func TestALateSampleCountsOnce(t *testing.T) {
	s := elsewhere(t, node(t, "1", server), "v1")
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Sample(func() {})
	eventually(t, "a sample in time", func() bool { return s.Sample(func() {})[0].Processes == 1 && s.hosts[0].sampling == nil })
	late := make(chan []results.NodeUsage, 1)
	s.hosts[0].sampling = late
	if u := s.Sample(func() {})[0]; *u.CPUNS != 0 || u.Processes != 1 {
		t.Errorf("before it comes: %+v", u)
	}
	late <- []results.NodeUsage{{Node: "1", Processes: 7, CPUNS: new(int64(time.Hour))}}
	if u := s.Sample(func() {})[0]; *u.CPUNS < int64(time.Hour) {
		t.Errorf("after it came: %+v", u)
	}
	eventually(t, "the next samples", func() bool {
		u := s.Sample(func() {})[0]
		if *u.CPUNS >= int64(time.Hour) {
			t.Errorf("afterwards: %+v", u)
		}
		return u.Processes == 1
	})
}

// While a node there starts, such as one whose image is fetched, brokerbench gives up: the start ends there too.
func TestAStartThatIsGivenUpEndsThere(t *testing.T) {
	n := node(t, "1", server)
	script(t, "docker", fmt.Sprintf("case $1 in run) exec %s %s %s;; container) exit 1;; esac\n", os.Args[0], server, address(t)))
	n.Command = []string{"docker", "run", "an-image"}
	s := elsewhere(t, n, "v1")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	eventually(t, "the image is fetched", func() bool { return len(running(server)) == 1 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || err.Error() != "ssh://vm4: context canceled" {
		t.Error(err)
	}
	eventually(t, "nothing is left", func() bool { return len(running(server))+len(running(childCommand)) == 0 })
}

// What runs the nodes there is killed: its guardian ends them. The next start connects again.
func TestALostHostEndsItsNodes(t *testing.T) {
	n := node(t, "1", server)
	s := elsewhere(t, n, "v1")
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := running(n.Address)[0]
	if err := syscall.Kill(running(childCommand)[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the node ends", func() bool { return !first.Alive() })
	s.Sample(func() {})
	if u := s.Sample(func() {}); u[0].Processes != 0 || u[0].CPUNS != nil {
		t.Errorf("%+v", u)
	}
	if err := s.Node("1").Kill(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "ssh://vm4: ") {
		t.Error(err)
	}
	if err := s.Close(); err == nil {
		t.Error("a lost host is no error")
	}
	if err := s.Start(t.Context()); err != nil || len(running(n.Address)) != 1 || !s.hosts[0].again {
		t.Errorf("%v, again: %v", err, s.hosts[0].again)
	}
}

func TestMistakesOfAHost(t *testing.T) {
	taken := node(t, "1", server)
	ends := node(t, "1", failing)
	ends.Command[2] = "it broke"
	missing := node(t, "1", server)
	missing.Command = []string{"no-such-broker"}
	for name, tt := range map[string]struct {
		node          plan.Node
		version, want string
	}{
		"a port in use":   {taken, "v1", "node 1: " + taken.Address + " is taken: another process listens there"},
		"another version": {node(t, "1", server), "v2", "ssh://vm4: the brokerbench there is version v1, and this one v2: with --agents-binary name one of the same version"},
		"no such program": {missing, "v1", `ssh://vm4: starting node 1: starting no-such-broker: exec: "no-such-broker": executable file not found in $PATH`},
		"it ends":         {ends, "v1", "node 1 ended before it was ready: exit status 1; it logged \"it broke\""},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a port in use" {
				l, err := net.Listen("tcp", taken.Address)
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
			}
			if err := elsewhere(t, tt.node, tt.version).Start(t.Context()); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			eventually(t, "nothing is left", func() bool { return len(running(childCommand)) == 0 })
		})
	}
}
