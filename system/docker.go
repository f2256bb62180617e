package system

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/system/guardian"
)

// A dockerRun is a node whose command is docker run: a container that brokerbench makes, and
// removes. The process of the command only shows what the container prints.
type dockerRun struct {
	*tool
	docker, name string
	run          guardian.Command // makes the container
	guard        *guardian.Guardian
	shows        *command
	made         bool
}

func newDockerRun(n plan.Node, o Options) *dockerRun {
	d := &dockerRun{docker: n.Command[0], name: nameIn(n.Command), guard: o.Guardian}
	if d.name == "" {
		d.name = fmt.Sprintf("brokerbench-%d-%s", os.Getpid(), plan.FileName(n.Name))
		n.Command = slices.Insert(slices.Clone(n.Command), 2, "--name="+d.name)
	}
	d.tool, d.shows = container(d.docker, d.name), newCommand(n, o)
	d.run = d.shows.run
	return d
}

// nameIn returns the name that a docker run gives its container; "" if none.
func nameIn(args []string) string {
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--name="); ok {
			return name
		}
		if arg == "--name" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// start makes the container, or starts the one that it has made.
func (d *dockerRun) start(ctx context.Context) error {
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
		if _, err := d.guard.Before(guardian.Undo{Run: d.removes()}); err != nil {
			return err
		}
		d.made = true
	}
	return d.shows.start(ctx)
}

func (d *dockerRun) exists(ctx context.Context) bool {
	_, err := output(ctx, []string{d.docker, "container", "inspect", "--format", "{{.Id}}", d.name})
	return err == nil
}

// removes returns the command that removes the container. One that is not there is no error.
func (d *dockerRun) removes() []string {
	return []string{d.docker, "rm", "--force", "--volumes", d.name}
}

// running: the container takes a while to come after the command was started.
func (d *dockerRun) running(ctx context.Context) (ok bool, how string) {
	if ok, how = d.tool.running(ctx); ok {
		return true, ""
	}
	shown, ends := d.shows.running(ctx)
	if shown || d.shows.first().PID == 0 {
		return shown, how
	}
	return false, ends
}

// undoes: the container is removed in the end.
func (*dockerRun) undoes(deed) (guardian.Undo, bool) { return guardian.Undo{}, false }

func (d *dockerRun) tail(lines int) []string {
	if d.shows.log != "" {
		return d.shows.tail(lines)
	}
	return d.tool.tail(lines)
}
