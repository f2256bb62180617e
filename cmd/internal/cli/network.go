package cli

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/relay"
	"github.com/brokerbench/brokerbench/measure/inject"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/system/local"
	"github.com/brokerbench/brokerbench/system/network"
)

// checkMachines returns why this machine cannot run targets as they say.
func (t targets) checkMachines(p plan.Plan) error {
	var errs []error
	for _, one := range p.Targets {
		if !local.Is(one.URL) {
			continue
		}
		ready, err := local.Parse(one.URL)
		if err == nil {
			err = ready.Check()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w", one.Name, err))
		}
	}
	return usage(errors.Join(errs...))
}

// machines returns the network of the target that is measured; nil if its nodes are not machines
// of their own.
func (s *systems) machines() *network.Network {
	if s.prepared == nil {
		return nil
	}
	return s.prepared.Network
}

// front tells whether nodes of a target lead their clients to relays: those that cannot be led
// there otherwise, if a relay may be needed. What the kernel can do is not known yet.
func (s *systems) front(t plan.Target, parsed local.Target) bool {
	fault := plan.Fault.Network
	if parsed.Network != "" {
		fault = func(f plan.Fault) bool { return f.Do == plan.Slow }
	}
	for _, f := range s.faults {
		if fault(f) {
			return advertises(s.targets.parsed[t.URL])
		}
	}
	return false
}

// means returns what breaks the network for a fault.
func (b *breaking) means(f plan.Fault) results.Means {
	if w := b.systems.machines(); w != nil && w.Shapes(inject.State(f)) {
		return results.ByNamespaces
	}
	return results.ByRelay
}

// relayed tells whether clients reach the nodes of a target through relays: some fault needs
// one, or the nodes say so.
func (b *breaking) relayed(t plan.Target) bool {
	for _, f := range b.systems.faults {
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

// network makes the network of a node be in a state: the relay in front of it does what
// namespaces cannot do. These reach whoever speaks with the node, at least one.
func (b *breaking) network(node int, s relay.State) (connections int, err error) {
	w := b.systems.machines()
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
