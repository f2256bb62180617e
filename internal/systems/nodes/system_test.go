//go:build linux

package nodes

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
	"github.com/brokerbench/brokerbench/plan"
)

func TestNodesAreStartedAndEnd(t *testing.T) {
	formed := filepath.Join(t.TempDir(), "formed")
	s := newSystem(t, plan.System{
		Nodes: []plan.Node{node(t, "1", server), node(t, "two", stubborn)}, Helpers: []plan.Node{node(t, "helper", server)},
		Formed: []string{"sh", "-c", "[ -e " + formed + " ] || { touch " + formed + "; exit 1; }"}, // the second time
	})
	if len(s.Nodes[0].PIDs()) != 0 {
		t.Error("a node runs before Start")
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, n := range s.all() {
		pids = append(pids, n.PIDs()...)
		if !n.Mine() || s.Node(n.Address) != nil && s.Node(n.Address) != n {
			t.Errorf("node %s is not ours, or not to be found", n.Name)
		}
	}
	if s.Node("two") != s.Nodes[1] || s.Node("helper") != nil || len(pids) != 3 {
		t.Errorf("processes %v", pids)
	}
	if err := s.Start(t.Context()); err != nil { // they run, and are ready
		t.Error(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, pid := range pids {
		if runs(pid) {
			t.Errorf("pid %d is left", pid)
		}
	}
}

// What happens to a node is there when the call returns.
func TestDeeds(t *testing.T) {
	s := newSystem(t, plan.System{Nodes: []plan.Node{node(t, "1", server)}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := s.Nodes[0]
	for name, end := range map[string]func(context.Context) error{"killed": n.Kill, "stopped": n.Stop} {
		before := n.PIDs()
		if err := n.Pause(t.Context()); err != nil || processtest.State(t, before[0]) != "T" {
			t.Errorf("paused: %v, state %s", err, processtest.State(t, before[0]))
		}
		if err := n.Resume(t.Context()); err != nil || processtest.State(t, before[0]) == "T" {
			t.Errorf("resumed: %v, state %s", err, processtest.State(t, before[0]))
		}
		if err := n.Pause(t.Context()); err != nil { // it ends all the same
			t.Error(err)
		}
		if err := end(t.Context()); err != nil || runs(before[0]) || len(n.PIDs()) != 0 {
			t.Errorf("%s: %v, pids %v", name, err, n.PIDs())
		}
		wantError(t, n.Pause(t.Context()), "node 1", "no such process")
		if err := end(t.Context()); !errors.Is(err, process.ErrEnded) { // somebody else has
			t.Errorf("%s twice: %v", name, err)
		}
		if err := n.Start(t.Context()); err != nil || len(n.PIDs()) != 1 || n.PIDs()[0] == before[0] {
			t.Errorf("started again: %v, pids %v", err, n.PIDs())
		}
		c, err := net.Dial("tcp", n.Address)
		if err != nil {
			t.Errorf("it is not ready: %v", err)
			continue
		}
		_ = c.Close()
	}
}

// Two who want a node to run at the same time start it once.
func TestTwoStartsAreOne(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	s := newSystem(t, plan.System{Nodes: []plan.Node{{
		Name: "1", Command: []string{"sh", "-c", "echo >>" + starts + "; exec sleep 600"}, Ready: []string{"test", "-s", starts},
	}}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Nodes[0].Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := s.Nodes[0].Start(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	eventually(t, "it was started twice in all", func() bool { return len(contents(t, starts)) >= 2 })
	if got := contents(t, starts); len(got) != 2 {
		t.Errorf("started %d times, want 2: once and once more", len(got))
	}
}

func TestANodeThatDoesNotStopIsLeftToItself(t *testing.T) {
	s := newSystem(t, plan.System{Nodes: []plan.Node{node(t, "1", stubborn)}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantError(t, s.Nodes[0].Stop(ctx), "stopping node 1", "still runs")
	if err := s.Nodes[0].Kill(t.Context()); err != nil {
		t.Error(err)
	}
}

// All that a node started is killed with it.
func TestAFamilyIsKilled(t *testing.T) {
	dir := t.TempDir()
	s := newSystem(t, plan.System{Nodes: []plan.Node{{
		Name: "1", Command: []string{"sh", "-c", "sleep 600 & echo $! >" + dir + "/child; setsid sleep 600 & wait"},
		Ready: []string{"test", "-s", dir + "/child"},
	}}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := s.Nodes[0]
	var pids []int
	eventually(t, "it has three processes", func() bool { pids = n.PIDs(); return len(pids) == 3 })
	if err := n.Pause(t.Context()); err != nil || processtest.State(t, pids[2]) != "T" {
		t.Errorf("%v: a child goes on", err)
	}
	if err := n.Kill(t.Context()); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if runs(pid) {
			t.Errorf("pid %d of %v is left", pid, pids)
		}
	}
}

func TestNodesThatDoNotComeUp(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := node(t, "1", server)
	at.Address = taken.Addr().String()
	deaf := node(t, "1", server)
	deaf.Ready, deaf.ReadyIn = []string{"false"}, 200*time.Millisecond
	said := node(t, "1", failing)
	said.Command[2] = "bind: address already in use"
	for name, c := range map[string]struct {
		nodes []plan.Node
		want  []string
	}{
		"a port taken":  {[]plan.Node{at}, []string{"node 1: " + at.Address + " is taken"}},
		"not ready":     {[]plan.Node{deaf}, []string{"node 1 is not ready after 200ms; it logged nothing"}},
		"it ends":       {[]plan.Node{node(t, "other", server), said}, []string{"node 1 ended before it was ready: exit status 1", "; it logged \"bind: address already in use\" (to keep all of it"}},
		"no program":    {[]plan.Node{{Name: "1", Command: []string{"/no/such/program"}}}, []string{"starting node 1", "/no/such/program", "no such file"}},
		"no permission": {[]plan.Node{{Name: "1", Command: []string{t.TempDir()}}}, []string{"starting node 1", "permission denied"}},
		"no process":    {[]plan.Node{{Name: "1", PID: 1 << 30}}, []string{"node 1", "there is no such process"}},
		"init":          {[]plan.Node{{Name: "1", PID: 1}}, []string{"node 1", "want the pid of the broker"}},
		"itself":        {[]plan.Node{{Name: "1", PID: os.Getpid()}}, []string{"node 1", "brokerbench itself"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSystem(t, plan.System{Nodes: c.nodes})
			err := s.Start(t.Context())
			wantError(t, err, c.want...)
			for _, n := range s.Nodes {
				if n.Mine() && len(n.PIDs()) > 0 {
					t.Errorf("node %s still runs", n.Name)
				}
			}
		})
	}
}

// One node that cannot be ended keeps none of the others from ending in good order.
func TestCloseEndsEveryNode(t *testing.T) {
	ended := filepath.Join(t.TempDir(), "ended")
	script(t, "docker", `[ "$1" != rm ] || [ -e "$0.told" ] || { touch "$0.told"; echo "no engine" >&2; exit 1; }`+fakeDocker)
	up := filepath.Join(t.TempDir(), "up")
	orderly := "trap 'sleep 0.5; touch " + ended + "; exit' TERM; touch " + up + "; while :; do sleep 0.01; done"
	s := newSystem(t, plan.System{Nodes: []plan.Node{
		{Name: "1", Command: []string{"docker", "run", "--name", "x", "nats"}},
		{Name: "2", Command: []string{"sh", "-c", orderly}, Ready: []string{"test", "-e", up}},
	}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Close(), "node 1", "no engine")
	if _, err := os.Stat(ended); err != nil {
		t.Error("node 2 was not let end in good order")
	}
}

// Ctrl-C while nodes start ends them, and the wait.
func TestStartEndsWithItsContext(t *testing.T) {
	n := node(t, "1", server)
	n.Ready = []string{"false"}
	s := newSystem(t, plan.System{Nodes: []plan.Node{n}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(s.Nodes[0].PIDs()) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := s.Start(ctx); !errors.Is(err, context.Canceled) || len(s.Nodes[0].PIDs()) != 0 {
		t.Errorf("%v, pids %v", err, s.Nodes[0].PIDs())
	}
}

// A process that somebody else runs is not ended, and goes on if it was paused.
func TestAProcessOfSomebodyElse(t *testing.T) {
	pid := processtest.Sleeper(t)
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", PID: pid}}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := s.Nodes[0]
	if n.Mine() || len(n.PIDs()) != 1 {
		t.Errorf("mine %v, pids %v", n.Mine(), n.PIDs())
	}
	if err := n.Pause(t.Context()); err != nil || processtest.State(t, pid) != "T" {
		t.Errorf("%v, state %s", err, processtest.State(t, pid))
	}
	if err := s.Close(); err != nil || processtest.State(t, pid) == "T" {
		t.Errorf("%v, state %s: it is to go on", err, processtest.State(t, pid))
	}
	if err := n.Kill(t.Context()); err != nil || processtest.State(t, pid) != "Z" {
		t.Errorf("%v, state %s", err, processtest.State(t, pid))
	}
	wantError(t, n.Start(t.Context()), "starting node 1", "cannot start what it did not start")
}

func TestSample(t *testing.T) {
	data := t.TempDir()
	s := newSystem(t, plan.System{Nodes: []plan.Node{
		{Name: "works", Command: []string{"sh", "-c", "head -c 1000000 /dev/zero >" + data + "/file; : >" + data + "/ready; while :; do :; done"}, Ready: []string{"test", "-e", data + "/ready"}}, // head has ended: a process that ends in a sample leaves its CPU time unknown
		node(t, "idles", server),
	}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if used := s.Sample(func() {}); used != nil {
		t.Errorf("the first sample only begins: %+v", used)
	}
	busy := int64(0)
	eventually(t, "the node that works uses no CPU", func() bool {
		used := s.Sample(func() {})
		busy += *used[0].CPUNS
		if *used[1].ResidentBytes < 1<<20 || used[1].Node != "idles" || used[1].Processes != 1 {
			t.Errorf("%+v", used[1])
		}
		return busy > int64(200*time.Millisecond)
	})
	if err := s.Nodes[0].Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if used := s.Sample(func() {}); used[0].Processes != 0 || *used[0].CPUNS != 0 {
		t.Errorf("a node that was killed: %+v", used[0])
	}
	if err := s.Nodes[0].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if used := s.Sample(func() {}); used[0].Processes == 0 || used[0].WrittenBytes != nil && *used[0].WrittenBytes > 100_000_000 {
		t.Errorf("a node that was started again: %+v", used[0])
	}
}

func TestNewRefuses(t *testing.T) {
	for want, p := range map[string]plan.System{
		"without nodes":       {},
		`two nodes are named`: {Nodes: []plan.Node{{Name: "1", PID: 2}, {Name: "1", PID: 3}}},
		"want one of command": {Nodes: []plan.Node{{Name: "1"}}},
	} {
		_, err := New(p, Options{})
		wantError(t, err, want)
	}
}
