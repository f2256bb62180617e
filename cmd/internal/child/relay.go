package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/brokerbench/brokerbench/internal/relay"
	"github.com/brokerbench/brokerbench/internal/self"
)

// relayCommand starts this program as relays in front of nodes. The argument after it is
// their relay.Options in JSON.
const relayCommand = "relay-child"

// Relays stand in front of the nodes of a target, in a process of their own: what they do
// takes no time of this process. They end with it, and so do the connections that they pass
// on: nothing is left to heal. Set is safe for concurrent use.
type Relays struct {
	Addresses []string // where clients reach each node

	mu    sync.Mutex
	child *self.Process
}

// StartRelays starts a relay in front of each node. The caller calls Stop.
func StartRelays(nodes []relay.Options) (*Relays, error) {
	argument, err := json.Marshal(nodes)
	if err != nil {
		return nil, fmt.Errorf("starting the relays: %w", err)
	}
	p, err := self.Start("process that stands in front of the nodes", relayCommand, string(argument))
	if err != nil {
		return nil, err
	}
	r := &Relays{child: p}
	if err := json.Unmarshal([]byte(p.Ready), &r.Addresses); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the relays: %w", err), p.Stop())
	}
	return r, nil
}

// A weather is what the parent says: how the network in front of a node is from now on.
type weather struct {
	Node  int
	State relay.State
}

// Set makes the network in front of a node, by its index, be in a state, and returns how many
// connections go through its relay.
func (r *Relays) Set(node int, s relay.State) (connections int, err error) {
	question, err := json.Marshal(weather{node, s})
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
func (r *Relays) Stop() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.child.Stop()
}

// serveRelays is the child.
func serveRelays(argument string, in io.Reader, out io.Writer) error {
	var nodes []relay.Options
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
		var w weather
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
func listen(nodes []relay.Options) (relays []*relay.Relay, addresses []string, err error) {
	for _, node := range nodes {
		r, err := relay.Listen(node)
		if err != nil {
			return nil, nil, err
		}
		relays, addresses = append(relays, r), append(addresses, r.Addr())
	}
	return relays, addresses, nil
}
