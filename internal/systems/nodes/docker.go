package nodes

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
)

// A dockerRun is a node whose command is docker run: a container that brokerbench makes, and
// removes. The process of the command only shows what the container prints.
type dockerRun struct {
	*tool
	docker, name string
	run          guardian.Command // makes the container
	guard        *guardian.Guardian
	shows        *command

	mu    sync.Mutex
	made  bool
	came  bool // the container ran after it was started
	entry int  // of the guardian's list: to remove the container
}

func newDockerRun(n plan.Node, o Options) *dockerRun {
	options := n.ContainerOptions()
	d := &dockerRun{docker: n.Command[0], name: nameIn(n.Command[options:]), guard: o.Guardian}
	if d.name == "" {
		d.name = fmt.Sprintf("brokerbench-%d-%s", os.Getpid(), plan.FileName(n.Name))
		n.Command = slices.Insert(slices.Clone(n.Command), options, "--name="+d.name)
	}
	d.tool, d.shows = container(d.docker, d.name), newCommand(n, o)
	d.run = d.shows.run
	return d
}

// start makes the container, or starts the one that it has made.
func (d *dockerRun) start(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := gone(ctx, d.shows.all()); err != nil { // it ends a moment after its container
		return err
	}
	d.came = false
	exists := d.exists(ctx)
	switch {
	case exists && !d.made:
		return fmt.Errorf("there is a %s already: to use it, name it as container", d.what)
	case exists: // not made with --rm, which removes one that was killed
		d.shows.run.Args = []string{d.docker, "start", "--attach", d.name}
	default:
		d.shows.run.Args = d.run.Args
	}
	if !d.made {
		var err error
		if d.entry, err = d.guard.Before(guardian.Undo{Run: d.removes()}); err != nil {
			return err
		}
		d.made = true
	}
	if err := d.shows.start(ctx); err != nil {
		return err
	}
	return until(ctx, func() (bool, error) { // an image may have to be fetched before
		d.came, _ = d.tool.running(ctx)
		shown, _ := d.shows.running(ctx)
		return d.came || !shown, nil
	})
}

func (d *dockerRun) exists(ctx context.Context) bool {
	_, err := process.Output(ctx, "", d.docker, "container", "inspect", "--format", "{{.Id}}", d.name)
	return err == nil
}

// removes returns the command that removes the container. One that is not there is no error.
func (d *dockerRun) removes() []string {
	return []string{d.docker, "rm", "--force", "--volumes", d.name}
}

// running also returns how the command ended, which is more precise than a missing container.
func (d *dockerRun) running(ctx context.Context) (ok bool, how string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.made {
		return false, d.what + " was not made"
	}
	if ok, how = d.tool.running(ctx); ok || d.came {
		return ok, how
	}
	_, how = d.shows.running(ctx)
	return false, how
}

// remove removes the container.
func (d *dockerRun) remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.made {
		return nil
	}
	d.made = false
	return d.guard.Undo(d.entry)
}

// undoes: the container is removed in the end.
func (*dockerRun) undoes(action) (guardian.Undo, bool) { return guardian.Undo{}, false }

func (d *dockerRun) tail(lines int) []string {
	if d.shows.log != "" {
		return d.shows.tail(lines)
	}
	return d.tool.tail(lines)
}

// nameIn returns the name that docker run gives its container; "" if none. args are those
// behind run: only what stands before the image is docker's own.
func nameIn(args []string) (name string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		option, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		if !given && takesValue(option) && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		if option == "--name" {
			name = value
		}
	}
	return name
}

// switches are the options of docker run and podman run that take no value, unless it follows
// a = sign.
func switches() []string {
	return []string{
		"--detach", "--disable-content-trust", "--env-host", "--help", "--http-proxy", "--init", "--interactive", "--no-healthcheck",
		"--no-hostname", "--no-hosts", "--oom-kill-disable", "--passwd", "--privileged", "--publish-all", "--quiet", "--read-only",
		"--read-only-tmpfs", "--replace", "--rm", "--rmi", "--rootfs", "--sig-proxy", "--tls-verify", "--tty", "--use-api-socket",
	}
}

// shortSwitches are those of one letter.
const shortSwitches = "Pdiqt"

// takesValue tells whether the word behind an option is its value. Of letters behind one dash
// the first that is no switch has the rest as its value, as in -p4222:4222, or the next word.
func takesValue(option string) bool {
	if strings.HasPrefix(option, "--") {
		return !slices.Contains(switches(), option)
	}
	first := strings.IndexFunc(option, func(letter rune) bool { return !strings.ContainsRune("-"+shortSwitches, letter) })
	return first == len(option)-1
}
