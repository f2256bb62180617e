package nodes

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

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
	_, err := output(ctx, []string{d.docker, "container", "inspect", "--format", "{{.Id}}", d.name})
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
func (*dockerRun) undoes(deed) (guardian.Undo, bool) { return guardian.Undo{}, false }

func (d *dockerRun) logged() string { return d.tool.logged() }

func (d *dockerRun) tail(lines int) []string {
	if d.shows.log != "" {
		return d.shows.tail(lines)
	}
	return d.tool.tail(lines)
}
