package inject

import (
	"context"
	"errors"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// means returns how a fault of the network is made; "" for other faults.
func (in *Injector) means(f plan.Fault) results.Means {
	if !f.Network() {
		return ""
	}
	return in.o.By(f)
}

var errNoRelay = errors.New("there is no relay in front of the nodes")

// network breaks the network in front of a node.
func (a *action) network(node int) (undo func(context.Context) error, err error) {
	undo = func(context.Context) error {
		_, err := a.in.setNetwork(node, func(faults []int) []int {
			return slices.DeleteFunc(faults, func(f int) bool { return f == a.index })
		})
		return err
	}
	connections, err := a.in.setNetwork(node, func(faults []int) []int { return append(faults, a.index) })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reached += connections
	if errors.Is(err, errNoRelay) {
		return nil, err
	}
	return undo, err
}

// setNetwork changes the faults of the network in front of a node.
func (in *Injector) setNetwork(node int, change func(faults []int) []int) (connections int, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := &in.nodes[node]
	n.network = change(n.network)
	return in.o.Network(node, in.combined(node))
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
	case plan.Kill, plan.Stop, plan.Wipe, plan.PowerOff, plan.Pause, plan.FillDisk, plan.Run, plan.Join, plan.Leave, plan.ConsumerPause: // not of the network
	}
	return s
}

// combined returns the state of the network in front of a node under all faults. Of two that slow it
// the later one counts.
func (in *Injector) combined(node int) (s relay.State) {
	for _, i := range in.nodes[node].network {
		one := State(in.faults[i])
		if in.faults[i].Do == plan.Slow {
			one.Seed = in.seed + uint64(i)<<32 + uint64(node)
			one.Deaf, one.Mute = s.Deaf, s.Mute
			s = one
			continue
		}
		s.Deaf, s.Mute = s.Deaf || one.Deaf, s.Mute || one.Mute
	}
	return s
}
