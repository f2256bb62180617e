package inject

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
func (in *Injector) choose(i int, at time.Time) (nodes []int, leader string, err error) {
	f := in.faults[i]
	needed := len(in.o.Nodes) > 1 && (f.Node == plan.Leader || f.Node == plan.AnyFollower)
	var led requester.Leadership
	if in.leads != nil && in.until(at.Add(-lookAhead)) {
		limit := at.Add(-lookAhead / 10)
		if needed {
			limit = at.Add(lookLimit)
		}
		led, err = in.leadership(limit)
	}
	leader = in.nameOf(led.Leader)
	switch {
	case f.Do == plan.Run:
		return nil, leader, nil
	case !needed:
		nodes, err = in.named(i)
		return nodes, leader, err
	case in.leads == nil:
		return nil, "", errors.New("the target does not tell who leads")
	case err != nil:
		return nil, "", err
	}
	nodes, err = in.led(i, led)
	return nodes, leader, err
}

// named returns the nodes of a fault that does not depend on the leader.
func (in *Injector) named(i int) (nodes []int, err error) {
	switch f := in.faults[i]; f.Node {
	case plan.AllNodes:
		return in.matching(func(int) bool { return true }), nil
	case plan.AnyNode:
		return in.draw(i, nil)
	case plan.Leader:
		return []int{0}, nil
	default:
		nodes = in.matching(func(node int) bool { return in.o.Nodes[node].Name == f.Node })
		if nodes == nil {
			return nil, fmt.Errorf("there is no node %q", f.Node)
		}
		return nodes[:1], nil
	}
}

// matching returns the nodes that suit, in order.
func (in *Injector) matching(suits func(node int) bool) (nodes []int) {
	for node := range in.o.Nodes {
		if suits(node) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// running returns the nodes that no other fault has ended: a fault that ends all nodes ends the rest.
func (in *Injector) running() (left []int, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if left = in.matching(func(node int) bool { return !in.nodes[node].dead }); left == nil {
		err = errors.New("no node runs: other faults have ended them")
	}
	return left, err
}

// led returns the node that leads, or draws one that does not.
func (in *Injector) led(i int, l requester.Leadership) ([]int, error) {
	leader, ok := in.find(l.Leader)
	if !ok {
		return nil, fmt.Errorf("%s is led by %s, which is none of the nodes: %s", l.What, l.Leader, strings.Join(in.addresses(), ", "))
	}
	if in.faults[i].Node == plan.Leader {
		return []int{leader}, nil
	}
	return in.draw(i, func(node int) bool { return in.follows(node, leader, l.Followers) })
}

// follows tells whether a node is one of the followers, or, if the target names none, any
// that does not lead.
func (in *Injector) follows(node, leader int, followers []string) bool {
	if len(followers) == 0 {
		return node != leader
	}
	return slices.ContainsFunc(followers, func(text string) bool {
		found, ok := in.find(text)
		return ok && found == node
	})
}

// draw returns one of the nodes that run and that suit; nil suits all.
func (in *Injector) draw(i int, suits func(node int) bool) ([]int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	from := in.matching(func(node int) bool { return !in.nodes[node].down && (suits == nil || suits(node)) })
	if len(from) == 0 {
		return nil, errors.New("no node is left to choose from")
	}
	random := rand.New(rand.NewPCG(in.seed, uint64(i))) //nolint:gosec // reproducible
	return []int{from[random.IntN(len(from))]}, nil
}

// leadership asks until there is a leader, or until the limit.
func (in *Injector) leadership(limit time.Time) (l requester.Leadership, err error) {
	for {
		if l, err = in.ask(limit); err == nil && l.Leader != "" {
			return l, nil
		}
		if !time.Now().Add(askedAgain).Before(limit) || !in.until(time.Now().Add(askedAgain)) {
			break
		}
	}
	if err != nil {
		return l, fmt.Errorf("%w: %w", errNobody, err)
	}
	return l, errNobody
}

// ask asks once.
func (in *Injector) ask(limit time.Time) (requester.Leadership, error) {
	ctx, cancel := context.WithTimeout(in.actions, min(time.Until(limit), askLimit))
	defer cancel()
	return in.leads.Leadership(ctx, 0)
}

// find returns the node with an address, also behind a front, or a name that the target uses.
func (in *Injector) find(text string) (node int, ok bool) {
	if text == "" {
		return 0, false
	}
	known := func(n Node) bool {
		return n.Address == text || n.Name == text || slices.Contains(slices.Collect(maps.Values(n.Fronts)), text)
	}
	port := here(text)
	samePort := func(n Node) bool { return port != "" && here(n.Address) == port }
	if node = slices.IndexFunc(in.o.Nodes, known); node < 0 {
		node = slices.IndexFunc(in.o.Nodes, samePort)
	}
	return node, node >= 0
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
func (in *Injector) nameOf(text string) string {
	if node, ok := in.find(text); ok {
		return in.o.Nodes[node].Name
	}
	return text
}

func (in *Injector) names(nodes []int) (names []string) {
	for _, node := range nodes {
		names = append(names, in.o.Nodes[node].Name)
	}
	return names
}

func (in *Injector) addresses() (list []string) {
	for _, n := range in.o.Nodes {
		list = append(list, n.Name+" at "+n.Address)
	}
	return list
}
