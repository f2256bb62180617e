package local

import (
	"context"

	"github.com/brokerbench/brokerbench/system/network"
)

// Check returns why this machine cannot run the target as it says; nil if nothing is known.
func (t Target) Check() error {
	if t.Network == "" {
		return nil
	}
	return network.Check()
}

// machinesOf makes the network of the nodes; none if they are on this machine.
func machinesOf(ctx context.Context, t Target, o Options) (*network.Network, error) {
	if t.Network == "" {
		return nil, nil
	}
	if err := network.Check(); err != nil {
		return nil, err
	}
	return network.Make(ctx, o.Guardian, t.Nodes)
}

// toldOf writes a network as the script reads it: the address of this machine, then address and
// namespace of each node.
func toldOf(w *network.Network) string {
	text := w.Host + " "
	for _, m := range w.Machines {
		text += "," + m.Address + " " + m.Namespace
	}
	return text
}
