package management

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A cluster remembers the listeners of all nodes, which the first node that answered reported:
// that node may be down later.
type cluster struct {
	mu        sync.Mutex
	listeners []listener
}

// Leadership returns who leads a queue or stream. The leader and the followers are addresses of
// the clients' protocol, such as "amqp", or the names of nodes whose addresses are not known.
// Members count as in step while they are online: how far behind they are is not known.
func (b *Broker) Leadership(ctx context.Context, protocol, name string) (requester.Leadership, error) {
	if b.Encrypted() {
		protocol += "/ssl"
	}
	leadership, err := ask(ctx, b, func(ctx context.Context, api API) (l requester.Leadership, err error) {
		members, err := api.members(ctx, name)
		if err != nil {
			return l, err
		}
		if listeners, err := api.listeners(ctx); err == nil {
			b.cluster.learn(listeners)
		}
		return b.cluster.leadership(members, protocol, name)
	})
	return leadership, target.Explain(b.Target, "asking the management API ("+nameAPI+") who leads "+name, err)
}

// Unacknowledged returns how many messages of the queues are with consumers that have not
// acknowledged them. known is false if the API does not report that of each of them.
func (b *Broker) Unacknowledged(ctx context.Context, queues []string) (n int, known bool) {
	all, err := ask(ctx, b, func(ctx context.Context, api API) (map[string]int, error) { return api.unacknowledged(ctx) })
	known = err == nil
	for _, queue := range queues {
		held, ok := all[queue]
		n, known = n+held, known && ok
	}
	return n, known
}

// Timers returns how soon a node notices that another one is silent, if an API reports that.
func (b *Broker) Timers(ctx context.Context) []requester.Setting {
	if b.Options.Management == "" && !b.Options.Audits() {
		return nil
	}
	value, err := ask(ctx, b, func(ctx context.Context, api API) (string, error) { return api.ticktime(ctx) })
	if err != nil || value == "" {
		return nil
	}
	return []requester.Setting{{Name: "net_ticktime", Value: value, Doc: "the nodes'"}}
}

// Whole returns an error unless a node knows a cluster of as many nodes as the target names.
func (b *Broker) Whole(ctx context.Context) error {
	api, err := b.API("")
	if err != nil {
		return err
	}
	most := 0
	for _, base := range b.cluster.bases(api.bases()) {
		api.Base = base
		known, _, askErr := api.nodes(ctx)
		most, err = max(most, known), cmp.Or(err, askErr)
	}
	switch want := len(b.Addrs()); {
	case most >= want:
		return nil
	case most > 0:
		return fmt.Errorf("the nodes that answer know %d of %d nodes", most, want)
	}
	return fmt.Errorf("the nodes of the cluster are not known: %w", err)
}

// ask asks the APIs of all nodes, and returns the first answer.
func ask[A any](ctx context.Context, b *Broker, question func(context.Context, API) (A, error)) (answer A, err error) {
	api, err := b.API("")
	if err != nil {
		return answer, err
	}
	return target.Ask(ctx, b.cluster.bases(api.bases()), func(ctx context.Context, base string) (A, error) {
		at := api
		at.Base = base
		return question(ctx, at)
	})
}

// bases returns the URLs of the APIs that listeners have, and the usual ones.
func (c *cluster) bases(usual []string) (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	scheme, _, _ := strings.Cut(usual[0], "://")
	for _, l := range c.listeners {
		if l.Protocol == scheme {
			all = append(all, scheme+"://"+l.address())
		}
	}
	for _, base := range usual {
		if !slices.Contains(all, base) {
			all = append(all, base)
		}
	}
	return all
}

// learn adds listeners.
func (c *cluster) learn(listeners []listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range listeners {
		if !slices.Contains(c.listeners, l) {
			c.listeners = append(c.listeners, l)
		}
	}
}

func (c *cluster) leadership(m members, protocol, name string) (l requester.Leadership, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.What = "queue " + name
	if m.Type == "stream" {
		l.What = "stream " + name
	}
	l.InStep, l.Copies = len(m.Online), len(m.Members)
	if len(m.Members) == 0 { // a classic queue
		l.InStep, l.Copies = 1, 1
	}
	leader := cmp.Or(m.Leader, m.Node)
	if leader == "" {
		return l, errors.New("no node leads it")
	}
	l.Leader = c.address(leader, protocol)
	for _, node := range m.Members {
		if node != leader {
			l.Followers = append(l.Followers, c.address(node, protocol))
		}
	}
	return l, nil
}

// address returns where a node listens, or its name if that is not known.
func (c *cluster) address(node, protocol string) string {
	for _, l := range c.listeners {
		if l.Node == node && l.Protocol == protocol {
			return l.address()
		}
	}
	return node
}
