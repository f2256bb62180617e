//go:build linux

package nodes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
	"github.com/brokerbench/brokerbench/internal/systems/guardian/guardiantest"
	"github.com/brokerbench/brokerbench/plan"
)

// fakeDocker behaves as docker does for containers each of which is a process: it stands in
// for an engine where there is none (make containers has one). It notes what it was told.
const fakeDocker = `
cd "$(dirname "$0")"
echo "$@" >>calls
for name; do :; done # the last argument
begin() { echo $1 >made; setsid sleep 600 >/dev/null 2>&1 & echo $! >pid; }
alive() { [ -s pid ] && grep -qs "^State:.[^XZ]" "/proc/$(cat pid)/status"; } # asked once, or it may end between two questions
shows() { while alive; do sleep 0.02; done; }
case "$1 $2" in
"run "* | "container run") [ ! -e made ] || { echo "the name is in use" >&2; exit 125; }; begin x; echo "it says hello"; shows ;;
"start --attach") begin x; shows ;;
"start "*) alive || begin x ;;
"kill "*) alive || exit 1; kill -9 "$(cat pid)"; shows ;;
"stop "*) alive || exit 0; kill "$(cat pid)"; shows ;; # as docker does, when it has ended
"pause "*) alive || exit 1; kill -STOP "$(cat pid)" ;;
"unpause "*) alive || exit 1; kill -CONT "$(cat pid)" ;;
"rm "*) alive && kill -9 "$(cat pid)"; rm -f made pid ;;
"logs "*) echo "a line of the log" ;;
"container inspect") [ -e made ] ;;
"inspect --format") [ -e made ] || { echo "no such container: $name" >&2; exit 1; }; if alive; then cat pid; else echo 0; fi ;;
*) exit 64 ;;
esac
`

// calls returns what the stand-in was told, without what only asks.
func calls(t *testing.T) (list []string) {
	t.Helper()
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	for line := range strings.Lines(contents(t, filepath.Join(dir, "calls"))) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "inspect") && !strings.HasPrefix(line, "container inspect") {
			list = append(list, line)
		}
	}
	return list
}

func TestAContainerThatBrokerbenchMakes(t *testing.T) {
	script(t, "docker", fakeDocker)
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Command: []string{"docker", "run", "--name", "mine", "nats"}}}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := s.Nodes[0]
	eventually(t, "its process is known", func() bool { return len(n.PIDs()) == 1 })
	pid := n.PIDs()[0]
	if err := n.Pause(t.Context()); err != nil || processtest.State(t, pid) != "T" {
		t.Errorf("paused: %v, state %s", err, processtest.State(t, pid))
	}
	if err := n.Resume(t.Context()); err != nil || processtest.State(t, pid) == "T" {
		t.Errorf("resumed: %v", err)
	}
	if err := n.Kill(t.Context()); err != nil || len(n.PIDs()) != 0 {
		t.Errorf("killed: %v, %v", err, n.PIDs())
	}
	if err := n.Start(t.Context()); err != nil {
		t.Errorf("started again: %v", err)
	}
	eventually(t, "it runs again", func() bool { return len(n.PIDs()) == 1 && n.PIDs()[0] != pid })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	want := "run --name mine nats; pause mine; unpause mine; kill mine; start --attach mine; stop mine; rm --force --volumes mine"
	if got := strings.Join(calls(t), "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Docker learns a moment later that a process has ended. Until then it would not start it again.
func TestAToolThatLearnsLateOfAnEnd(t *testing.T) {
	script(t, "docker", `cd "$(dirname "$0")"
case "$1" in
start) [ -e pid ] || { sleep 600 >/dev/null 2>&1 & echo $! >pid; } ;;
kill) kill -9 "$(cat pid)"; (sleep 0.5; rm pid) >/dev/null 2>&1 & ;;
inspect) cat pid 2>/dev/null || echo 0 ;;
esac`)
	c := container("docker", "mine")
	for range 2 {
		if err := c.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !c.main().Alive() {
			t.Fatal("it was not started")
		}
		if err := c.kill(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A container of that name which was there before is not taken for ours, and not removed.
func TestAContainerThatIsThere(t *testing.T) {
	script(t, "docker", fakeDocker)
	if _, err := process.Output(t.Context(), "", "docker", "start", "mine"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = process.Output(t.Context(), "", "docker", "kill", "mine") })
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Command: []string{"docker", "run", "--name=mine", "nats"}}}})
	wantError(t, s.Start(t.Context()), "there is a container mine already")
	if got := strings.Join(calls(t), "; "); got != "start mine" {
		t.Errorf("it was told %s", got)
	}
}

// What is not ours is as it was found.
func TestAContainerOfSomebodyElse(t *testing.T) {
	script(t, "docker", fakeDocker)
	if _, err := process.Output(t.Context(), "", "docker", "start", "his"); err != nil {
		t.Fatal(err)
	}
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Container: "his"}}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tail := s.Nodes[0].Tail(3); s.Nodes[0].Mine() || len(tail) != 1 || tail[0] != "a line of the log" {
		t.Errorf("mine %v, log %q", s.Nodes[0].Mine(), tail)
	}
	if err := s.Nodes[0].Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(calls(t), "; "); got != "start his; logs --tail=8 his; kill his; start his" {
		t.Errorf("it was told %s", got)
	}
	if err := s.Nodes[0].Pause(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	pids := s.Nodes[0].PIDs()
	if len(pids) != 1 || processtest.State(t, pids[0]) == "T" {
		t.Errorf("it does not run: %v", pids)
	}
	if _, err := process.Output(t.Context(), "", "docker", "kill", "his"); err != nil {
		t.Error(err)
	}
}

// A container that was paused and then killed is not to be resumed, at its end neither.
func TestAContainerThatIsKilledWhileItIsPaused(t *testing.T) {
	script(t, "docker", fakeDocker)
	if _, err := process.Output(t.Context(), "", "docker", "start", "his"); err != nil {
		t.Fatal(err)
	}
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Container: "his"}}})
	for _, do := range []func(context.Context) error{s.Start, s.Nodes[0].Pause, s.Nodes[0].Kill} {
		if err := do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(calls(t), "; "); got != "start his; pause his; kill his; start his" {
		t.Errorf("it was told %s", got)
	}
	if _, err := process.Output(t.Context(), "", "docker", "kill", "his"); err != nil {
		t.Error(err)
	}
}

// One that does not run is not started without permission, and stopped again with it, also
// after it was killed and started once more.
func TestAContainerOfSomebodyElseThatDoesNotRun(t *testing.T) {
	script(t, "docker", fakeDocker)
	for _, args := range [][]string{{"docker", "start", "his"}, {"docker", "stop", "his"}} {
		if _, err := process.Output(t.Context(), "", args...); err != nil {
			t.Fatal(err)
		}
	}
	p := plan.System{Nodes: []plan.Node{{Name: "1", Container: "his"}}}
	wantError(t, newSystem(t, p).Start(t.Context()), "node 1: container his does not run", "--allow-faults")
	s, err := New(p, Options{Guardian: guardiantest.Start(t), StartFound: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []func(context.Context) error{s.Start, s.Nodes[0].Kill, s.Nodes[0].Start, s.Nodes[0].Pause} {
		if err := do(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	want := "start his; stop his; start his; kill his; start his; pause his; unpause his; stop his"
	if got := strings.Join(calls(t), "; "); got != want || len(s.Nodes[0].PIDs()) > 0 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What stands behind the image is the image's.
func TestNameIn(t *testing.T) {
	for args, want := range map[string]string{
		"--name x nats": "x", "--name=x nats": "x", "-d --rm --name x nats": "x", "-it -p 4222:4222 --name x nats": "x",
		"-p4222:4222 -dp 1:1 -e A=b --name x nats": "x", "--init=true --name x nats": "x", "--name x --name y nats": "y",
		"nats --name x": "", "--rm nats --name=x": "", "-p 1:1 nats --name x": "", "-itp 1:1 nats --name x": "", "-it nats --name x": "",
		"-e --name=x nats": "", "--label --name nats": "", "-- nats --name x": "", "--name": "", "": "", "-": "",
	} {
		if got := nameIn(strings.Fields(args)); got != want {
			t.Errorf("docker run %s: %q, want %q", args, got, want)
		}
	}
}

func TestAContainerThatIsMadeInMoreWords(t *testing.T) {
	script(t, "docker", fakeDocker)
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Command: []string{"docker", "container", "run", "--rm", "nats"}}}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its process is known", func() bool { return len(s.Nodes[0].PIDs()) == 1 })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := calls(t); len(got) != 3 || !strings.HasPrefix(got[0], "container run --name=brokerbench-") || !strings.HasPrefix(got[2], "rm --force --volumes brokerbench-") {
		t.Errorf("it was told %q", got)
	}
}

func TestAContainerThatIsNotThere(t *testing.T) {
	script(t, "docker", `echo "no such container: x" >&2; exit 1`)
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Container: "x"}}})
	wantError(t, s.Start(t.Context()), "node 1", "no such container: x")
}

// A tool that never answers keeps nobody: not who watches, and not who ends with its context,
// even if what it has started lives on.
func TestAToolThatNeverAnswers(t *testing.T) {
	script(t, "docker", "sleep 100 & sleep 100")
	began := time.Now()
	if id := container("docker", "x").main(); id.PID != 0 || time.Since(began) > 2*askTime {
		t.Errorf("%v after %v", id, time.Since(began))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began = time.Now()
	if _, err := process.Output(ctx, "", "docker", "inspect"); err == nil || time.Since(began) > askTime {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// The tools are told what they have been told by hand.
func TestWhatToolsAreTold(t *testing.T) {
	script(t, "systemctl", `echo "systemctl $@" >>"$(dirname "$0")/calls"; [ "$1" != show ] || echo 0`)
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	script(t, "kubectl", `echo "kubectl $@" >>`+dir+`/calls; case "$*" in *jsonpath*) echo False ;; esac`)
	s := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Unit: "nats.service"}, {Name: "2", Pod: "brokers/kafka-0"}, {Name: "3", Pod: "redis-0"}}})
	ctx := t.Context()
	for _, n := range s.Nodes {
		for _, do := range []func() error{func() error { return n.Kill(ctx) }, func() error { return n.Stop(ctx) }, func() error { return n.way.start(ctx) }} {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := s.Nodes[0].Pause(ctx); err != nil {
		t.Error(err)
	}
	wantError(t, s.Nodes[1].Pause(ctx), "pausing node 2: a pod cannot be paused")
	if s.Nodes[1].PIDs() != nil {
		t.Error("a pod has processes on this machine")
	}
	if ok, how := s.Nodes[2].way.running(ctx); ok || how != "pod redis-0 does not run" {
		t.Errorf("%v, %s", ok, how)
	}
	want := `systemctl show --property=MainPID --value nats.service
systemctl kill --signal=KILL nats.service
systemctl show --property=MainPID --value nats.service
systemctl stop nats.service
systemctl start nats.service
kubectl --namespace=brokers delete pod kafka-0 --grace-period=0 --force
kubectl --namespace=brokers delete pod kafka-0
kubectl --namespace=brokers wait --for=condition=Ready --timeout=5m pod/kafka-0
kubectl delete pod redis-0 --grace-period=0 --force
kubectl delete pod redis-0
kubectl wait --for=condition=Ready --timeout=5m pod/redis-0
systemctl kill --signal=STOP nats.service
systemctl show --property=MainPID --value nats.service
kubectl get pod redis-0 --output=jsonpath={.status.conditions[?(@.type=="Ready")].status}
`
	if got := contents(t, filepath.Join(dir, "calls")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	if tail := tailOf(file, 3); tail != nil {
		t.Errorf("of no file: %q", tail)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 1<<20)+"\n\none\n\n  two\nthree"), 0o600); err != nil {
		t.Fatal(err)
	}
	if tail := tailOf(file, 2); strings.Join(tail, "|") != "two|three" {
		t.Errorf("%q", tail)
	}
	if tail := tailOf(file, 9); len(tail) != 4 || len(tail[0]) > mostTail {
		t.Errorf("%d lines", len(tail))
	}
	if tail := tailOf(t.TempDir(), 9); tail != nil {
		t.Errorf("of a folder: %q", tail)
	}
}
