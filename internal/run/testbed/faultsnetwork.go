package testbed

import (
	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// fronted reports whether the nodes of a target must advertise relays to their clients: a relay may
// be needed, and clients would bypass it otherwise. Networked means that the nodes have a separate
// network. The abilities of the kernel are not yet known.
func (b *injector) fronted(t plan.Target, networked bool) bool {
	fault := plan.Fault.Network
	if networked {
		fault = func(f plan.Fault) bool { return f.Do == plan.Slow }
	}
	for _, f := range b.bed.Faults {
		if fault(f) {
			return b.bed.Targets.Parsed[t.URL].Broker.Advertises
		}
	}
	return false
}

// means returns what breaks the network for a fault.
func (b *injector) means(f plan.Fault) results.Means {
	if w := b.network; w != nil && w.Shapes(inject.State(f)) {
		return results.ByNamespaces
	}
	return results.ByRelay
}

// relayed tells whether clients reach the nodes of a target through relays: some fault needs
// one, or the nodes say so.
func (b *injector) relayed(t plan.Target) bool {
	for _, f := range b.bed.Faults {
		if f.Network() && b.means(f) == results.ByRelay {
			return true
		}
	}
	for _, n := range b.nodes(t) {
		if len(n.Fronts) > 0 {
			return true
		}
	}
	return false
}

// set makes the network of a node be in a state: the relay in front of it does what
// namespaces cannot do. These reach whoever speaks with the node, at least one.
func (b *injector) set(node int, s relay.State) (connections int, err error) {
	w := b.network
	if w == nil {
		return b.relays.Set(node, s)
	}
	connections = 1
	if b.relays != nil {
		slow := relay.State{}
		if !w.Shapes(s) {
			slow = s
			slow.Deaf, slow.Mute = false, false
		}
		through, err := b.relays.Set(node, slow)
		if err != nil {
			return 0, err
		}
		if slow != (relay.State{}) {
			connections = through
		}
	}
	return connections, w.Set(node, s)
}
