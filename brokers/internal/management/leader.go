package management

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Leaders asks who leads queues and streams. The APIs of all nodes are learned from the
// first that answers: later, that node may be away. The zero value knows none. It is safe for
// concurrent use.
type Leaders struct {
	mu        sync.Mutex
	bases     []string   // of the APIs
	listeners []Listener // of nodes that were seen
}

// Ask returns who leads a queue or stream, as one of the APIs tells: those that are known, and
// those of first's nodes. Nodes have the addresses of their listeners of the clients' protocol,
// or if there is none, their names. In step are the members that are online: how far they are,
// it does not tell.
func (l *Leaders) Ask(ctx context.Context, first API, protocol, name string) (requester.Leadership, error) {
	bases := first.bases()
	encrypted := first.TLS != nil && strings.HasPrefix(bases[0], "https")
	if first.Encrypted {
		protocol += "/ssl"
	}
	return target.Ask(ctx, l.known(bases), func(ctx context.Context, base string) (said requester.Leadership, err error) {
		api := first
		api.Base = base
		copies, err := api.Copies(ctx, name)
		if err != nil {
			return said, err
		}
		if listeners, err := api.Listeners(ctx); err == nil {
			l.learn(listeners, encrypted)
		}
		return l.leadership(copies, protocol, name)
	})
}

// Unacknowledged returns what [API.Unacknowledged] of one of the APIs does: those that are
// known, and those of first's nodes.
func (l *Leaders) Unacknowledged(ctx context.Context, first API) (map[string]int, error) {
	return target.Ask(ctx, l.known(first.bases()), func(ctx context.Context, base string) (map[string]int, error) {
		api := first
		api.Base = base
		return api.Unacknowledged(ctx)
	})
}

// known returns the bases of the APIs that are known, and others.
func (l *Leaders) known(others []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.bases)
	for _, base := range others {
		if !slices.Contains(all, base) {
			all = append(all, base)
		}
	}
	return all
}

// learn notes where nodes listen.
func (l *Leaders) learn(listeners []Listener, encrypted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range listeners {
		if slices.Contains(l.listeners, one) {
			continue
		}
		l.listeners = append(l.listeners, one)
		switch {
		case one.Protocol == "http" && !encrypted:
			l.bases = append(l.bases, "http://"+one.Address())
		case one.Protocol == "https" && encrypted:
			l.bases = append(l.bases, "https://"+one.Address())
		}
	}
}

func (l *Leaders) leadership(c Copies, protocol, name string) (said requester.Leadership, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	said.What = "queue " + name
	if c.Type == "stream" {
		said.What = "stream " + name
	}
	leader := cmp.Or(c.Leader, c.Node)
	if len(c.Members) == 0 { // a classic queue
		said.InStep, said.Copies = 1, 1
	} else {
		said.InStep, said.Copies = len(c.Online), len(c.Members)
	}
	if leader == "" {
		return said, errors.New("no node leads it")
	}
	said.Leader = l.address(leader, protocol)
	for _, node := range c.Members {
		if node != leader {
			said.Followers = append(said.Followers, l.address(node, protocol))
		}
	}
	return said, nil
}

// address returns where a node listens, or its name if that is not known.
func (l *Leaders) address(node, protocol string) string {
	for _, at := range l.listeners {
		if at.Node == node && at.Protocol == protocol {
			return at.Address()
		}
	}
	return node
}
