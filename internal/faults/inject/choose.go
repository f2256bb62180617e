package inject

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// The target is asked for its leader lookAhead before a fault, so that the fault begins on time, and
// for at most lookAhead, since another fault may leave it without one. Each question may take askLimit.
const (
	lookAhead  = time.Second
	lookLimit  = 10 * time.Second
	askLimit   = 2 * time.Second
	askedAgain = 100 * time.Millisecond
)

var errNobody = errors.New("no node says that it leads")

// choose returns the nodes that a fault is for, and the leader before it, if known. It asks shortly
// before the fault begins.
func (b *Injector) choose(i int, at time.Time) (nodes []int, leader string, err error) {
	f := b.faults[i]
	needed := len(b.o.Nodes) > 1 && (f.Node == plan.Leader || f.Node == plan.AnyFollower)
	var led requester.Leadership
	if b.leads != nil && b.until(at.Add(-lookAhead)) {
		limit := at.Add(-lookAhead / 10)
		if needed {
			limit = at.Add(lookLimit)
		}
		led, err = b.leadership(limit)
	}
	leader = b.nameOf(led.Leader)
	switch {
	case f.Do == plan.Run:
		return nil, leader, nil
	case !needed:
		nodes, err = b.named(i)
		return nodes, leader, err
	case b.leads == nil:
		return nil, "", errors.New("the target does not tell who leads")
	case err != nil:
		return nil, "", err
	}
	nodes, err = b.led(i, led)
	return nodes, leader, err
}

// named returns the nodes of a fault that does not depend on the leader.
func (b *Injector) named(i int) (nodes []int, err error) {
	switch f := b.faults[i]; f.Node {
	case plan.AllNodes:
		for node := range b.o.Nodes {
			nodes = append(nodes, node)
		}
		return nodes, nil
	case plan.AnyNode:
		return b.draw(i, nil)
	case plan.Leader:
		return []int{0}, nil
	default:
		node := slices.IndexFunc(b.o.Nodes, func(n Node) bool { return n.Name == f.Node })
		if node < 0 {
			return nil, fmt.Errorf("there is no node %q", f.Node)
		}
		return []int{node}, nil
	}
}

// running returns the nodes that no other fault has ended: a fault that ends all nodes ends the rest.
func (b *Injector) running(nodes []int) (left []int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, node := range nodes {
		if !b.dead[node] {
			left = append(left, node)
		}
	}
	if len(left) == 0 {
		return nil, errors.New("no node runs: other faults have ended them")
	}
	return left, nil
}

// led returns the node that leads, or draws one that does not.
func (b *Injector) led(i int, l requester.Leadership) ([]int, error) {
	leader, ok := b.find(l.Leader)
	if !ok {
		return nil, fmt.Errorf("%s is led by %s, which is none of the nodes: %s", l.What, l.Leader, strings.Join(b.addresses(), ", "))
	}
	if b.faults[i].Node == plan.Leader {
		return []int{leader}, nil
	}
	return b.draw(i, func(node int) bool { return b.follows(node, leader, l.Followers) })
}

// follows tells whether a node is one of the followers, or, if the target names none, any
// that does not lead.
func (b *Injector) follows(node, leader int, followers []string) bool {
	if len(followers) == 0 {
		return node != leader
	}
	return slices.ContainsFunc(followers, func(text string) bool {
		found, ok := b.find(text)
		return ok && found == node
	})
}

// draw returns one of the nodes that run and that suit; nil suits all.
func (b *Injector) draw(i int, suits func(node int) bool) ([]int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var from []int
	for node := range b.o.Nodes {
		if !b.down[node] && (suits == nil || suits(node)) {
			from = append(from, node)
		}
	}
	if len(from) == 0 {
		return nil, errors.New("no node is left to choose from")
	}
	random := rand.New(rand.NewPCG(b.seed, uint64(i))) //nolint:gosec // reproducible
	return []int{from[random.IntN(len(from))]}, nil
}

// leadership asks until there is a leader, or until the limit.
func (b *Injector) leadership(limit time.Time) (l requester.Leadership, err error) {
	for {
		if l, err = b.ask(limit); err == nil && l.Leader != "" {
			return l, nil
		}
		if !time.Now().Add(askedAgain).Before(limit) || !b.until(time.Now().Add(askedAgain)) {
			break
		}
	}
	if err != nil {
		return l, fmt.Errorf("%w: %w", errNobody, err)
	}
	return l, errNobody
}

// ask asks once.
func (b *Injector) ask(limit time.Time) (requester.Leadership, error) {
	ctx, cancel := context.WithDeadline(b.actions, earlier(limit, time.Now().Add(askLimit)))
	defer cancel()
	return b.leads.Leadership(ctx, 0)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// find returns the node with an address, also behind a front, or a name that the target uses.
func (b *Injector) find(text string) (node int, ok bool) {
	if text == "" {
		return 0, false
	}
	for i, n := range b.o.Nodes {
		if n.Address == text || n.Name == text {
			return i, true
		}
		for _, behind := range n.Fronts {
			if behind == text {
				return i, true
			}
		}
	}
	for i, n := range b.o.Nodes {
		if here(n.Address) != "" && here(n.Address) == here(text) {
			return i, true
		}
	}
	return 0, false
}

// here returns the port of an address of this machine; "" of another one.
func here(addr string) (port string) {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return ""
	}
	return port
}

// nameOf returns the plan's name of a node, or the target's name if the plan has none.
func (b *Injector) nameOf(text string) string {
	if node, ok := b.find(text); ok {
		return b.o.Nodes[node].Name
	}
	return text
}

func (b *Injector) names(nodes []int) (names []string) {
	for _, node := range nodes {
		names = append(names, b.o.Nodes[node].Name)
	}
	return names
}

func (b *Injector) addresses() (list []string) {
	for _, n := range b.o.Nodes {
		list = append(list, n.Name+" at "+n.Address)
	}
	return list
}
