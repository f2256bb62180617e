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
	b     *Injector
	index int
	f     plan.Fault
	nodes []int

	mu      sync.Mutex
	broken  int                           // how many nodes are, or commands were run
	reached int                           // of a network: how many connections go through it
	undo    []func(context.Context) error // repairs nodes that are broken, or may be
}

// do breaks all nodes at the same time, and returns when they are broken.
func (d *action) do() error {
	if d.f.Do == plan.Run {
		return d.run()
	}
	return d.each(len(d.nodes), func(ctx context.Context, i int) error {
		undo, err := d.one(ctx, d.nodes[i])
		d.mu.Lock()
		defer d.mu.Unlock()
		if undo != nil {
			d.undo = append(d.undo, undo)
		}
		if err == nil {
			d.broken++
		}
		return err
	})
}

// mend undoes do.
func (d *action) mend() error {
	return d.each(len(d.undo), func(ctx context.Context, i int) error { return d.undo[i](ctx) })
}

// each calls do with 0 to n-1 at the same time.
func (d *action) each(n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithTimeoutCause(d.b.actions, patience, errTooLong)
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
func (d *action) one(ctx context.Context, node int) (undo func(context.Context) error, err error) {
	n := d.b.o.Nodes[node]
	if d.f.Network() {
		return d.network(node)
	}
	if d.f.Do == plan.FillDisk {
		return d.b.fill(n)
	}
	if n.Process == nil {
		return nil, fmt.Errorf("node %s: the plan does not say how it is run", n.Name)
	}
	switch d.f.Do {
	case plan.Kill:
		return d.b.end(ctx, node, n.Process.Kill)
	case plan.Stop:
		return d.b.end(ctx, node, n.Process.Stop)
	case plan.Pause:
		return d.b.standstills[node].pause(ctx, d.index, n.Process)
	case plan.Cut, plan.HalfOpen, plan.Slow, plan.FillDisk, plan.Run, plan.ConsumerPause: // see above, and run
	}
	return nil, fmt.Errorf("%s is no fault of a node", d.f.Do)
}

// end ends a node, unless another fault has done so already.
func (b *Injector) end(ctx context.Context, node int, how func(context.Context) error) (undo func(context.Context) error, err error) {
	byAnother := fmt.Errorf("node %s does not run: another fault has ended it", b.o.Nodes[node].Name)
	if b.isDead(node) {
		return nil, byAnother
	}
	others := b.at(node)
	err = how(ctx)
	switch ended := errors.Is(err, process.ErrEnded); {
	case ended && (others() || b.isDead(node)):
		return nil, byAnother
	case ended: // by itself, which the result must show
		return nil, err
	case err != nil:
		return b.ended(node), err
	}
	b.standstills[node].end()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dead[node], b.down[node] = true, true
	return b.ended(node), nil
}

func (b *Injector) isDead(node int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead[node]
}

// at says that a fault ends or starts a node, until the function that it returns is called, which
// tells whether another one did so meanwhile.
func (b *Injector) at(node int) (others func() bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hands[node]++
	b.touched[node]++
	alone, touched := b.hands[node] == 1, b.touched[node]
	return func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hands[node]--
		return !alone || b.touched[node] != touched
	}
}

// ended returns the function that starts a node again. Other faults may then kill it, and draw it
// once it is ready.
func (b *Injector) ended(node int) func(context.Context) error {
	return func(ctx context.Context) error {
		defer b.at(node)()
		b.mu.Lock()
		delete(b.dead, node)
		b.mu.Unlock()
		err := b.o.Nodes[node].Process.Start(ctx)
		if err == nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			delete(b.down, node)
		}
		return err
	}
}
