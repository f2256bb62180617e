package nodes

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
)

// A tool is a node that is run by a tool such as docker: the commands that do what is to be
// done. One that is empty cannot be done.
type tool struct {
	what string // such as "container nats"

	starts, stops, kills, pauses, resumes, logs []string
	// pid prints the number of the first process on this machine, 0 if it does not run. Without
	// it the processes are not on this machine, or not to be known, and runs succeeds, and
	// prints "true", if it runs.
	pid, runs []string
}

// container is one of docker's or podman's.
func container(docker, name string) *tool {
	do := func(args ...string) []string { return slices.Concat([]string{docker}, args, []string{name}) }
	return &tool{
		what: "container " + name, starts: do("start"), stops: do("stop"), kills: do("kill"),
		pauses: do("pause"), resumes: do("unpause"), logs: do("logs", "--tail="+strconv.Itoa(shownLines)),
		pid: do("inspect", "--format", "{{.State.Pid}}"),
	}
}

// unit is one of systemd's.
func unit(name string) *tool {
	do := func(args ...string) []string { return slices.Concat([]string{"systemctl"}, args, []string{name}) }
	return &tool{
		what: "unit " + name, starts: do("start"), stops: do("stop"), kills: do("kill", "--signal=KILL"),
		pauses: do("kill", "--signal=STOP"), resumes: do("kill", "--signal=CONT"),
		logs: []string{"journalctl", "--no-pager", "--output=cat", "--lines=" + strconv.Itoa(shownLines), "--unit=" + name},
		pid:  do("show", "--property=MainPID", "--value"),
	}
}

// pod is one of Kubernetes, which a controller makes again when it is deleted. Nothing
// pauses one from outside.
func pod(name string) *tool {
	kubectl := []string{"kubectl"}
	if namespace, rest, ok := strings.Cut(name, "/"); ok {
		kubectl, name = append(kubectl, "--namespace="+namespace), rest
	}
	do := func(args ...string) []string { return slices.Concat(kubectl, args) }
	return &tool{
		what:   "pod " + name,
		starts: do("wait", "--for=condition=Ready", "--timeout=5m", "pod/"+name),
		stops:  do("delete", "pod", name), kills: do("delete", "pod", name, "--grace-period=0", "--force"),
		logs: do("logs", "--tail="+strconv.Itoa(shownLines), name),
		runs: do("get", "pod", name, `--output=jsonpath={.status.conditions[?(@.type=="Ready")].status}`),
	}
}

func (t *tool) start(ctx context.Context) error  { return t.run(ctx, "started", t.starts) }
func (t *tool) stop(ctx context.Context) error   { return t.end(ctx, "stopped", t.stops) }
func (t *tool) kill(ctx context.Context) error   { return t.end(ctx, "killed", t.kills) }
func (t *tool) resume(ctx context.Context) error { return t.run(ctx, "resumed", t.resumes) }

// end runs a command that ends the node, and waits until its process is gone and the tool
// knows it, if that is to be seen: a tool that believes that the node runs does not start it.
func (t *tool) end(ctx context.Context, done string, args []string) error {
	id := process.ID{}
	if t.here() {
		id = t.main()
	}
	if err := t.run(ctx, done, args); err != nil || id.PID == 0 {
		return err
	}
	if err := gone(ctx, []process.ID{id}); err != nil {
		return err
	}
	late := fmt.Errorf("pid %d has ended, but %s still names it as the process of %s", id.PID, t.pid[0], t.what)
	ctx, cancel := context.WithTimeoutCause(ctx, longestLook, late)
	defer cancel()
	return until(ctx, func() (bool, error) { return t.named(ctx) != id.PID, nil })
}

func (t *tool) pause(ctx context.Context) error {
	err := t.run(ctx, "paused", t.pauses)
	if err == nil && t.here() {
		process.AwaitStopped(t.main().PID)
	}
	return err
}

// run runs a command of the tool.
func (t *tool) run(ctx context.Context, done string, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("a %s cannot be %s", strings.Fields(t.what)[0], done)
	}
	_, err := process.Output(ctx, "", args...)
	return err
}

func (t *tool) here() bool { return len(t.pid) > 0 }

// askTime is how long a tool may take to say which process a node is: a cell may wait for it.
const askTime = 5 * time.Second

func (t *tool) main() process.ID {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	pid := t.named(ctx)
	if pid <= 0 {
		return process.ID{}
	}
	id, _ := process.Find(pid)
	return id
}

// named returns the number of the process that the tool names, 0 if it names none.
func (t *tool) named(ctx context.Context) int {
	text, err := process.Output(ctx, "", t.pid...)
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(text)
	return pid
}

func (t *tool) running(ctx context.Context) (ok bool, how string) {
	args, want := t.runs, "True"
	if len(args) == 0 {
		args = t.pid
	}
	text, err := process.Output(ctx, "", args...)
	switch {
	case err != nil:
		return false, err.Error()
	case len(t.runs) > 0 && text != want, len(t.runs) == 0 && (text == "" || text == "0"):
		return false, t.what + " does not run"
	}
	return true, ""
}

func (t *tool) undoes(a action) (guardian.Undo, bool) {
	switch a {
	case paused:
		return guardian.Undo{Run: t.resumes}, len(t.resumes) > 0
	case begun:
		return guardian.Undo{Run: t.stops}, true
	case ended:
	}
	return guardian.Undo{Run: t.starts}, true
}

func (t *tool) tail(lines int) []string {
	text, _ := exec.Command(t.logs[0], t.logs[1:]...).CombinedOutput() //nolint:gosec,noctx // of the node that the plan names
	return process.LastLines(string(text), lines)
}

// logged returns the command that prints the whole log.
func (t *tool) logged() string {
	whole := slices.DeleteFunc(slices.Clone(t.logs), func(arg string) bool {
		return strings.HasPrefix(arg, "--tail=") || strings.HasPrefix(arg, "--lines=") || arg == "--no-pager"
	})
	return strings.Join(whole, " ")
}
