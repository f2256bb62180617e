// Package network makes a network of machines on this machine. Each is a network namespace with
// its own address, and a bridge in another namespace joins them as a switch. So the network
// between any two of them can break, including the network between nodes of a cluster, which a
// relay in front of each node cannot break. It needs root, Linux, and the commands ip, tc, nft
// and nsenter.
//
// The addresses come from the range reserved for network tests (RFC 2544), or from private
// ranges that this machine does not use. The machines have no route to any other network.
package network

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// A Network is machines that are joined by a switch. It is safe for concurrent use.
type Network struct {
	Host     string // the address of this machine, where clients are
	Machines []Machine

	hub    string // the namespace of the switch
	shapes shapes
	undo   func() error

	mu     sync.Mutex
	states []relay.State // of the network of each machine
}

// A Machine is a namespace of a network.
type Machine struct {
	Address   string // an IP address
	Namespace string // as ip netns calls it
}

// An OnExit has a command run when this process has ended, however it ended. undo runs it at once
// instead.
type OnExit func(command []string) (undo func() error, err error)

// Make creates a network of n machines, which is removed when this process ends. The caller has called
// Check.
func Make(ctx context.Context, onExit OnExit, n int) (_ *Network, err error) {
	w := named(n)
	if w.undo, err = onExit(w.removes()); err != nil {
		return nil, err
	}
	if err := w.make(ctx); err != nil {
		return nil, fmt.Errorf("making a network of %d machines: %w", n, err)
	}
	return w, nil
}

// Remove removes the network, once nothing runs in it. Without it the guard does so in the end.
func (w *Network) Remove() error { return w.undo() }

// String writes the network as deploy/local reads it: the address of this machine, then address and
// namespace of each other.
func (w *Network) String() string {
	text := w.Host + " "
	for _, m := range w.Machines {
		text += "," + m.Address + " " + m.Namespace
	}
	return text
}

// named returns a network with an unused name that is not yet made.
func named(n int) *Network {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	w := &Network{hub: "brokerbench-" + hex.EncodeToString(random), states: make([]relay.State, n)}
	for i := range n {
		w.Machines = append(w.Machines, Machine{Namespace: fmt.Sprintf("%s-%d", w.hub, i+1)})
	}
	return w
}

// removes returns the command that removes the namespaces, as far as there are any. The links
// go with them, but only some time later: that to this machine goes at once.
func (w *Network) removes() []string {
	const script = `for each; do
	test -e "/run/netns/$each" || continue
	ip -n "$each" link del ` + uplink + ` 2>/dev/null
	ip netns del "$each" || failed=1
done
exit ${failed-0}`
	args := []string{"sh", "-c", script, "removing", w.hub}
	for _, m := range w.Machines {
		args = append(args, m.Namespace)
	}
	return args
}

// The names of links: in the hub, that to this machine and those to the others; in those, that
// to the hub.
const (
	uplink = "uplink"
	inside = "eth0"
	bridge = "br0"
)

func port(machine int) string { return fmt.Sprintf("port%d", machine+1) }

// make makes the namespaces, the switch, and the links.
func (w *Network) make(ctx context.Context) error {
	if _, err := process.Output(ctx, "", "ip", "netns", "add", w.hub); err != nil {
		return err
	}
	subnet, link, err := w.join(ctx)
	if err != nil {
		return err
	}
	w.Host = subnet.address(1)
	if err := w.ip(ctx, w.hub, "link set lo up", "link add "+bridge+" type bridge", "link set "+bridge+" up", "link set "+uplink+" master "+bridge+" up"); err != nil {
		return err
	}
	if err := w.ip(ctx, "", "addr add "+w.Host+"/24 dev "+link, "link set "+link+" up"); err != nil {
		return err
	}
	for i := range w.Machines {
		w.Machines[i].Address = subnet.address(firstMachine + i)
		if err := w.add(ctx, i); err != nil {
			return err
		}
	}
	w.shapes = w.probe(ctx)
	return w.rules(ctx) // which shows whether the kernel has what it takes
}

// add adds a machine, and joins it to the switch.
func (w *Network) add(ctx context.Context, i int) error {
	m := w.Machines[i]
	if _, err := process.Output(ctx, "", "ip", "netns", "add", m.Namespace); err != nil {
		return err
	}
	if err := w.ip(ctx, w.hub, "link add "+port(i)+" type veth peer name "+inside+" netns "+m.Namespace, "link set "+port(i)+" master "+bridge+" up"); err != nil {
		return err
	}
	return w.ip(ctx, m.Namespace, "addr add "+m.Address+"/24 dev "+inside, "link set "+inside+" up", "link set lo up")
}

// ip runs commands of ip in a namespace, or here.
func (w *Network) ip(ctx context.Context, namespace string, commands ...string) error {
	args := []string{"ip", "-batch", "-"}
	if namespace != "" {
		args = []string{"ip", "-n", namespace, "-batch", "-"}
	}
	_, err := process.Output(ctx, strings.Join(commands, "\n")+"\n", args...)
	return err
}
