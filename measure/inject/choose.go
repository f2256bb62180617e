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

// Who leads is asked lookAhead before a fault, so that it begins when it should; for so long
// at most, since during another fault nobody may lead for a while; each time for askLimit.
const (
	lookAhead  = time.Second
	lookLimit  = 10 * time.Second
	askLimit   = 2 * time.Second
	askedAgain = 100 * time.Millisecond
)

var errNobody = errors.New("nobody admits to lead")

// choose returns the nodes that a fault is for, and who leads before it, if that is known. It
// asks a moment before the fault begins, and returns when it knows.
func (b *Breaker) choose(i int, at time.Time) (nodes []int, leader string, err error) {
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

// named returns the nodes of a fault for which it does not matter who leads.
func (b *Breaker) named(i int) (nodes []int, err error) {
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

// running returns those of the nodes that no other fault has ended: whoever ends all of them
// ends what is left.
func (b *Breaker) running(nodes []int) (left []int, err error) {
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
func (b *Breaker) led(i int, l requester.Leadership) ([]int, error) {
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
func (b *Breaker) follows(node, leader int, followers []string) bool {
	if len(followers) == 0 {
		return node != leader
	}
	return slices.ContainsFunc(followers, func(text string) bool {
		found, ok := b.find(text)
		return ok && found == node
	})
}

// draw returns one of the nodes that run and that suit; nil suits all.
func (b *Breaker) draw(i int, suits func(node int) bool) ([]int, error) {
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

// leadership asks until somebody leads, or the limit.
func (b *Breaker) leadership(limit time.Time) (l requester.Leadership, err error) {
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
func (b *Breaker) ask(limit time.Time) (requester.Leadership, error) {
	ctx, cancel := context.WithDeadline(b.deeds, earlier(limit, time.Now().Add(askLimit)))
	defer cancel()
	return b.leads.Leadership(ctx, 0)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// find returns the node that a target calls so: at that address, also behind a front, or of
// that name.
func (b *Breaker) find(text string) (node int, ok bool) {
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

// nameOf returns the name of the node that a target calls so, or what it calls it.
func (b *Breaker) nameOf(text string) string {
	if node, ok := b.find(text); ok {
		return b.o.Nodes[node].Name
	}
	return text
}

func (b *Breaker) names(nodes []int) (names []string) {
	for _, node := range nodes {
		names = append(names, b.o.Nodes[node].Name)
	}
	return names
}

func (b *Breaker) addresses() (list []string) {
	for _, n := range b.o.Nodes {
		list = append(list, n.Name+" at "+n.Address)
	}
	return list
}
