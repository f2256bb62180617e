package local

import (
	"context"
	"errors"
)

// A Network gives each node of a target a separate machine, in the order of the nodes.
type Network struct {
	Host     string // the address of this machine, where clients are
	Machines []Machine
	Remove   func() error // is called once, when nothing runs in it
}

// A Machine is where one node runs.
type Machine struct {
	Address   string
	Namespace string // as ip netns calls it
}

// networkOf creates the network of the nodes; nil if they run on this machine.
func networkOf(ctx context.Context, t Target, o Options) (*Network, error) {
	switch {
	case t.Network == "":
		return nil, nil
	case o.Network == nil:
		return nil, errors.New("this program cannot create networks")
	}
	return o.Network(ctx, t.Nodes)
}

// argument writes a network as the script reads it: the address of this machine, then address
// and namespace of each node.
func (w *Network) argument() string {
	text := w.Host + " "
	for _, m := range w.Machines {
		text += "," + m.Address + " " + m.Namespace
	}
	return text
}
