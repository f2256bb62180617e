package nodes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
)

// A Node is one process of a target with its descendants, or one container, unit or pod.
// It is safe for concurrent use.
type Node struct {
	plan.Node

	way      way
	o        Options
	kept     bool       // its log is a file that is there afterwards
	starting sync.Mutex // held by who starts it

	mu   sync.Mutex
	undo map[action]int // entries of the guardian's list, of what is not undone yet
}

// A way controls a node. Each action is complete when its method returns.
type way interface {
	// start starts the node, and returns before it is ready.
	start(ctx context.Context) error
	stop(ctx context.Context) error
	kill(ctx context.Context) error
	pause(ctx context.Context) error
	resume(ctx context.Context) error
	// here tells whether its processes are to be seen on this machine, and main returns the
	// first of them; none if it does not run.
	here() bool
	main() process.ID
	// running tells whether it runs, and if not, how it ended.
	running(ctx context.Context) (ok bool, how string)
	// undoes returns the undo of an action, if this node has to be restored.
	undoes(a action) (guardian.Undo, bool)
	tail(lines int) []string
}

// An action on a node is undone at the end.
type action string

const (
	paused action = "paused"
	ended  action = "ended"
	begun  action = "begun" // it was started, and is not ours
)

func newNode(n plan.Node, o Options, hosts []*host) *Node {
	for _, h := range hosts {
		if h.name == n.On {
			return &Node{Node: n, way: remote{h, n.Name}, o: o, kept: true}
		}
	}
	kept := n.Log != "" && !o.Throwaway
	n.Log = o.logOf(n)
	return &Node{Node: n, way: wayOf(n, o), o: o, kept: kept, undo: make(map[action]int)}
}

// wayOf returns how a node is run, which the plan has checked.
func wayOf(n plan.Node, o Options) way {
	switch {
	case n.PID != 0:
		return newRunning(n.PID)
	case n.Container != "":
		return container("docker", n.Container)
	case n.Unit != "":
		return unit(n.Unit)
	case n.Pod != "":
		return pod(n.Pod)
	case n.ContainerOptions() > 0:
		return newDockerRun(n, o)
	}
	return newCommand(n, o)
}

// Mine tells whether brokerbench starts the node.
func (n *Node) Mine() bool { return len(n.Command) > 0 }

// PIDs returns the node's processes on this machine, the first one first; none if it does not
// run, or elsewhere.
func (n *Node) PIDs() (pids []int) {
	if !n.way.here() {
		return nil
	}
	for _, id := range process.Family(n.way.main().PID) {
		pids = append(pids, id.PID)
	}
	return pids
}

// Tail returns the last lines that the node logged, as far as that is known.
func (n *Node) Tail(lines int) []string { return n.way.tail(lines) }

// Kill ends the node at once (SIGKILL), and returns when it has ended. Its unsynced writes
// stay in the page cache. If its process had ended before, the error is [process.ErrEnded].
func (n *Node) Kill(ctx context.Context) error { return n.ends(ctx, "killing", n.way.kill) }

// Stop ends the node in good order, and returns when it has ended; errors as of Kill.
func (n *Node) Stop(ctx context.Context) error { return n.ends(ctx, "stopping", n.way.stop) }

// Pause stops the node where it stands (SIGSTOP), and returns when it stands.
func (n *Node) Pause(ctx context.Context) error { return n.do(ctx, "pausing", paused, n.way.pause) }

// Resume lets the node go on after Pause.
func (n *Node) Resume(ctx context.Context) error {
	return n.undone(ctx, "resuming", paused, n.way.resume)
}

// Start starts the node, if it does not run, and returns when it is ready. One that did not
// run when it was found, and is not ours, is started only if Options.StartFound says so.
func (n *Node) Start(ctx context.Context) error {
	if err := n.startOnce(ctx); err != nil {
		return err
	}
	return n.ready(ctx)
}

// startOnce starts the node if it does not run, also if two faults want it to at the same
// time.
func (n *Node) startOnce(ctx context.Context) error {
	n.starting.Lock()
	defer n.starting.Unlock()
	ok, how := n.way.running(ctx)
	if ok {
		return nil
	}
	if n.On != "" || n.Container+n.Unit == "" || n.registered(ended) || n.registered(begun) {
		return n.undone(ctx, "starting", ended, n.way.start)
	}
	if !n.o.StartFound {
		return fmt.Errorf("node %s: %s: start it, or let brokerbench do so with --allow-faults", n.Name, how)
	}
	return n.do(ctx, "starting", begun, n.way.start)
}

// registered tells whether the undo of an action is in the guardian's list.
func (n *Node) registered(a action) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.undo[a]
	return ok
}

// do does an action, after the guardian was told what undoes it.
func (n *Node) do(ctx context.Context, doing string, a action, do func(context.Context) error) error {
	if err := n.register(a); err != nil {
		return n.failed(doing, err)
	}
	return n.failed(doing, do(ctx))
}

// ends does what ends the node, after which there is nothing to resume.
func (n *Node) ends(ctx context.Context, doing string, end func(context.Context) error) error {
	if p, seen := n.way.(interface{ first() process.ID }); seen && !p.first().Alive() {
		_, how := n.way.running(ctx)
		return n.failed(doing, fmt.Errorf("%w: %s", process.ErrEnded, how))
	}
	if err := n.do(ctx, doing, ended, end); err != nil {
		return err
	}
	return n.failed(doing, n.forget(paused))
}

// register adds the undo of an action to the guardian's list.
func (n *Node) register(a action) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	undo, needed := n.way.undoes(a)
	_, registered := n.undo[a]
	_, was := n.undo[begun] // so it was found ended, and may stay so
	if registered || !needed || was && a == ended {
		return nil
	}
	entry, err := n.o.Guardian.Before(undo)
	if err == nil {
		n.undo[a] = entry
	}
	return err
}

// undone does what undoes an action, and takes it from the guardian's list.
func (n *Node) undone(ctx context.Context, doing string, a action, do func(context.Context) error) error {
	err := do(ctx)
	if err == nil {
		err = n.forget(a)
	}
	return n.failed(doing, err)
}

// forget takes the undo of an action from the guardian's list, if it is there.
func (n *Node) forget(a action) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	entry, registered := n.undo[a]
	if !registered {
		return nil
	}
	delete(n.undo, a)
	return n.o.Guardian.Forget(entry)
}

func (n *Node) failed(doing string, err error) error {
	if err == nil || n.On != "" { // it says which host and node
		return err
	}
	return fmt.Errorf("%s node %s: %w", doing, n.Name, err)
}

// free returns an error if somebody else listens where the node is to.
func (n *Node) free(ctx context.Context) error {
	if ok, _ := n.way.running(ctx); ok || !n.Mine() || !n.listens(ctx) {
		return nil
	}
	if far, ok := n.way.(remote); ok && far.again { // those of the lost session are ending
		ctx, cancel := context.WithTimeout(ctx, lease+endingPatience)
		defer cancel()
		if until(ctx, func() (bool, error) { return !n.listens(ctx), nil }) == nil {
			return nil
		}
	}
	return fmt.Errorf("node %s: %s is taken: another process listens there", n.Name, n.listensAt())
}

// endingPatience is how long a node may take to end in good order before it is killed.
const endingPatience = 15 * time.Second

// close undoes what was done to the node, and ends it if it is ours.
func (n *Node) close(ctx context.Context) (err error) {
	if n.On != "" {
		return nil // its host does
	}
	if n.Mine() {
		err = n.failed("ending", n.end(ctx))
	}
	if made, ok := n.way.(interface{ remove() error }); ok {
		err = errors.Join(err, n.failed("removing", made.remove()))
	}
	return errors.Join(err, n.settle())
}

// end ends a node that brokerbench started, with a shutdown if its data matters.
func (n *Node) end(ctx context.Context) error {
	if ok, _ := n.way.running(ctx); !ok {
		return nil
	}
	if !n.o.Throwaway {
		stopping, cancel := context.WithTimeout(ctx, endingPatience)
		defer cancel()
		if err := n.way.stop(stopping); err == nil {
			return nil
		}
	}
	return n.way.kill(ctx)
}

// settle does what is left in the guardian's list, of a node that is not ours.
func (n *Node) settle() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	for _, a := range []action{paused, ended, begun} { // what is paused could not be stopped
		entry, registered := n.undo[a]
		if !registered {
			continue
		}
		delete(n.undo, a)
		if n.Mine() { // it has ended
			errs = append(errs, n.o.Guardian.Forget(entry))
			continue
		}
		errs = append(errs, n.failed("healing", n.o.Guardian.Undo(entry)))
	}
	return errors.Join(errs...)
}
