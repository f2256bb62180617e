package inject

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A brokenNet is a fault of the network in front of a node.
type brokenNet struct {
	fault, node int
	f           plan.Fault
}

// means returns how a fault of the network is made; "" for other faults.
func (o Options) means(f plan.Fault) results.Means {
	switch {
	case !f.Network():
		return ""
	case o.By == nil:
		return results.ByRelay
	}
	return o.By(f)
}

// network breaks the network in front of a node.
func (d *action) network(node int) (undo func(context.Context) error, err error) {
	if d.b.o.Network == nil {
		return nil, errors.New("there is no relay in front of the nodes")
	}
	undo = func(context.Context) error { return d.b.mendNet(d.index, node) }
	d.b.mu.Lock()
	defer d.b.mu.Unlock()
	d.b.nets = append(d.b.nets, brokenNet{d.index, node, d.f})
	connections, err := d.b.o.Network(node, d.b.combined(node))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reached += connections
	return undo, err
}

func (b *Injector) mendNet(fault, node int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []brokenNet
	for _, n := range b.nets {
		if n.fault != fault || n.node != node {
			left = append(left, n)
		}
	}
	b.nets = left
	_, err := b.o.Network(node, b.combined(node))
	return err
}

// State returns the state of the network in front of a node during a fault.
func State(f plan.Fault) (s relay.State) {
	switch f.Do {
	case plan.Cut:
		s.Deaf, s.Mute = true, true
	case plan.HalfOpen:
		s.Mute = true
	case plan.Slow:
		s.Delay, s.Jitter, s.Loss, s.Throttle = f.Delay, f.Jitter, f.Loss, f.Throttle
	case plan.Kill, plan.Stop, plan.Pause, plan.FillDisk, plan.Run, plan.ConsumerPause: // not of the network
	}
	return s
}

// combined returns the state of the network in front of a node under all faults. Of two that slow it
// the later one counts.
func (b *Injector) combined(node int) (s relay.State) {
	for _, n := range b.nets {
		if n.node != node {
			continue
		}
		one := State(n.f)
		if n.f.Do == plan.Slow {
			one.Seed = b.seed + uint64(n.fault)<<32 + uint64(node)
			one.Deaf, one.Mute = s.Deaf, s.Mute
			s = one
			continue
		}
		s.Deaf, s.Mute = s.Deaf || one.Deaf, s.Mute || one.Mute
	}
	return s
}
