package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/brokerbench/brokerbench/internal/leaf/self"
)

// command starts this program as relays in front of nodes. The argument after it is
// their Options in JSON.
const command = "relay-child"

// A Process holds the relays in front of the nodes of a target, in a child process, so that they
// take no CPU time from this one. They end with it, and so do the connections that they pass
// on: nothing is left to heal. Set is safe for concurrent use.
type Process struct {
	Addresses []string // where clients reach each node

	mu    sync.Mutex
	child *self.Process
}

// StartProcess starts a relay in front of each node. The caller calls Stop.
func StartProcess(nodes []Options) (*Process, error) {
	argument, err := json.Marshal(nodes)
	if err != nil {
		return nil, fmt.Errorf("starting the relays: %w", err)
	}
	p, err := self.Start("process that stands in front of the nodes", command, string(argument))
	if err != nil {
		return nil, err
	}
	r := &Process{child: p}
	if err := json.Unmarshal([]byte(p.Ready), &r.Addresses); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the relays: %w", err), p.Stop())
	}
	return r, nil
}

// An order is what the parent says: how the network in front of a node is from now on.
type order struct {
	Node  int
	State State
}

// Set makes the network in front of a node, by its index, be in a state, and returns how many
// connections go through its relay.
func (r *Process) Set(node int, s State) (connections int, err error) {
	question, err := json.Marshal(order{node, s})
	if err != nil {
		return 0, fmt.Errorf("telling a relay: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, err := r.child.Ask(string(question))
	if err != nil {
		return 0, err
	}
	if connections, err = strconv.Atoi(answer); err != nil {
		return 0, errors.New(answer)
	}
	return connections, nil
}

// Stop ends the relays, and the connections that they pass on.
func (r *Process) Stop() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.child.Stop()
}

// ServeProcess runs this process as relays if args, without the program's name, say so. It then
// returns when in ends.
func ServeProcess(args []string, in io.Reader, out io.Writer) (isChild bool, err error) {
	if len(args) != 2 || args[0] != command {
		return false, nil
	}
	return true, serveProcess(args[1], in, out)
}

// serveProcess is the child.
func serveProcess(argument string, in io.Reader, out io.Writer) error {
	var nodes []Options
	if err := json.Unmarshal([]byte(argument), &nodes); err != nil {
		return fmt.Errorf("reading where the nodes are: %w", err)
	}
	relays, addresses, err := listen(nodes)
	if err != nil {
		return err
	}
	ready, err := json.Marshal(addresses)
	if err != nil {
		return fmt.Errorf("telling the addresses of the relays: %w", err)
	}
	served := make(chan error, len(relays))
	for _, r := range relays {
		go func() { served <- r.Serve() }()
	}
	err = self.Answer(in, out, string(ready), func(question string) string {
		var w order
		if err := json.Unmarshal([]byte(question), &w); err != nil || w.Node < 0 || w.Node >= len(relays) {
			return fmt.Sprintf("there is no relay of that number: %s", question)
		}
		relays[w.Node].Set(w.State)
		return strconv.Itoa(relays[w.Node].Connections())
	})
	for _, r := range relays {
		err = errors.Join(err, r.Close())
	}
	for range relays {
		err = errors.Join(err, <-served)
	}
	return err
}

// listen makes the relays.
func listen(nodes []Options) (relays []*Relay, addresses []string, err error) {
	for _, node := range nodes {
		r, err := Listen(node)
		if err != nil {
			return nil, nil, err
		}
		relays, addresses = append(relays, r), append(addresses, r.Addr())
	}
	return relays, addresses, nil
}
