package inject

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/plan"
)

// patience bounds how long an action on a node may take, such as an orderly stop or a start.
const patience = 2 * time.Minute

// An action is a fault under way.
type action struct {
	in    *Injector
	index int
	f     plan.Fault
	nodes []int

	mu      sync.Mutex
	broken  int                           // how many nodes are, or commands were run
	reached int                           // of a network: how many connections go through it
	undo    []func(context.Context) error // repairs nodes that are broken, or may be
}

// do breaks all nodes at the same time, and returns when they are broken.
func (a *action) do() error {
	if a.f.Do == plan.Run {
		return a.run()
	}
	return a.each(len(a.nodes), func(ctx context.Context, i int) error {
		undo, err := a.one(ctx, a.nodes[i])
		a.mu.Lock()
		defer a.mu.Unlock()
		if undo != nil {
			a.undo = append(a.undo, undo)
		}
		if err == nil {
			a.broken++
		}
		return err
	})
}

// heal undoes do.
func (a *action) heal() error {
	return a.each(len(a.undo), func(ctx context.Context, i int) error { return a.undo[i](ctx) })
}

// each calls do with 0 to n-1 at the same time.
func (a *action) each(n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithTimeoutCause(a.in.actions, patience, errTooLong)
	defer cancel()
	errs := make([]error, n)
	var doing sync.WaitGroup
	for i := range n {
		doing.Go(func() { errs[i] = do(ctx, i) })
	}
	doing.Wait()
	err := errors.Join(errs...)
	if why := context.Cause(ctx); err != nil && why != nil && !errors.Is(err, why) {
		return fmt.Errorf("%w (%w)", why, err)
	}
	return err
}

// one breaks one node, and returns the function that repairs it, also if it is only half broken;
// nil if no repair is needed.
func (a *action) one(ctx context.Context, node int) (undo func(context.Context) error, err error) {
	n := a.in.o.Nodes[node]
	if a.f.Network() {
		return a.network(node)
	}
	if a.f.Do == plan.FillDisk {
		return a.in.fill(n)
	}
	if n.Process == nil {
		return nil, fmt.Errorf("node %s: the plan does not say how it is run", n.Name)
	}
	switch a.f.Do {
	case plan.Kill:
		return a.in.end(ctx, node, n.Process.Kill)
	case plan.Stop:
		return a.in.end(ctx, node, n.Process.Stop)
	case plan.Wipe:
		return a.in.wipe(ctx, node)
	case plan.PowerOff:
		return a.in.powerOff(ctx, a, node)
	case plan.Pause:
		return a.in.nodes[node].paused.pause(ctx, a.index, n.Process)
	case plan.Cut, plan.HalfOpen, plan.Slow, plan.FillDisk, plan.Run, plan.Join, plan.Leave, plan.ConsumerPause: // see above, and run
	}
	return nil, fmt.Errorf("%s is no fault of a node", a.f.Do)
}

// end ends a node, unless another fault has done so already.
func (in *Injector) end(ctx context.Context, node int, how func(context.Context) error) (undo func(context.Context) error, err error) {
	byAnother := fmt.Errorf("node %s does not run: another fault has ended it", in.o.Nodes[node].Name)
	if in.isDead(node) {
		return nil, byAnother
	}
	others := in.at(node)
	err = how(ctx)
	switch ended := errors.Is(err, process.ErrEnded); {
	case ended && (others() || in.isDead(node)):
		return nil, byAnother
	case ended: // by itself, which the result must show
		return nil, err
	case err != nil:
		return in.ended(node), err
	}
	n := &in.nodes[node]
	n.paused.end()
	in.mu.Lock()
	defer in.mu.Unlock()
	n.dead, n.down = true, true
	return in.ended(node), nil
}

func (in *Injector) isDead(node int) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.nodes[node].dead
}

// at says that a fault ends or starts a node, until the function that it returns is called, which
// tells whether another one did so meanwhile.
func (in *Injector) at(node int) (others func() bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := &in.nodes[node]
	n.hands++
	n.touched++
	alone, touched := n.hands == 1, n.touched
	return func() bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		n.hands--
		return !alone || n.touched != touched
	}
}

// ended returns the function that starts a node again. Other faults may then kill it, and draw it
// once it is ready.
func (in *Injector) ended(node int) func(context.Context) error {
	return func(ctx context.Context) error {
		defer in.at(node)()
		in.mu.Lock()
		in.nodes[node].dead = false
		in.mu.Unlock()
		err := in.o.Nodes[node].Process.Start(ctx)
		in.mu.Lock()
		defer in.mu.Unlock()
		in.nodes[node].down = in.nodes[node].down && err != nil
		return err
	}
}
