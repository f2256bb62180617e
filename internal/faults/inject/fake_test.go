package inject_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	processes "github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// A cluster of three in virtual time: one leads, and another does after it was ended.
type cluster struct {
	mu     sync.Mutex
	start  time.Time
	log    []string     // what was done, and when
	dead   map[int]bool // not ready
	gone   map[int]bool // there is no process
	paused map[int]bool
	leader int // -1: nobody

	electing time.Duration // how long it takes until another leads
	starting time.Duration // until a node is ready
	stopping time.Duration // how long it takes to end in good order; another one may lead before
	killing  time.Duration // how long it takes to see that a node is gone which was killed
	refuses  error         // what every action says; nil: it works
	asked    int
	clients  int // connections in front of each node
}

var errDead = errors.New("it is dead")

func newCluster() *cluster {
	return &cluster{start: time.Now(), dead: make(map[int]bool), gone: make(map[int]bool), paused: make(map[int]bool), electing: time.Second, starting: 2 * time.Second, clients: 1}
}

// nodes returns the nodes of the cluster, called 1, 2 and 3.
func (c *cluster) nodes() (nodes []inject.Node) {
	for i := range 3 {
		nodes = append(nodes, inject.Node{
			Node:    plan.Node{Name: fmt.Sprint(i + 1), Address: fmt.Sprintf("127.0.0.1:%d", 4000+i)},
			Process: &process{c, i},
		})
	}
	return nodes
}

func (c *cluster) note(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf("%v ", time.Since(c.start))+fmt.Sprintf(format, args...))
}

func (c *cluster) isGone(node int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone[node]
}

// network is Options.Network.
func (c *cluster) network(node int, s relay.State) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Seed = 0
	c.note("network %d %+v", node+1, s)
	return c.clients, c.refuses
}

// New implements requester.Factory; nobody calls it.
func (c *cluster) New(int, requester.Sink) (requester.Requester, error) { return nil, nil }

// Leadership implements requester.LeaderFinder.
func (c *cluster) Leadership(context.Context, int) (l requester.Leadership, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.leader < 0 || c.paused[c.leader] {
		return l, errors.New("no answer")
	}
	l = requester.Leadership{What: "stream s", Leader: fmt.Sprintf("localhost:%d", 4000+c.leader), Copies: 3, InStep: 3 - len(c.dead)}
	for i := range 3 {
		if i != c.leader {
			l.Followers = append(l.Followers, fmt.Sprint(i+1))
		}
	}
	return l, nil
}

type process struct {
	c    *cluster
	node int
}

func (p *process) do(what string, change func()) error {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	p.c.note("%s %d", what, p.node+1)
	if p.c.refuses == nil {
		change()
	}
	return p.c.refuses
}

func (p *process) Kill(context.Context) error {
	if p.hasEnded() {
		return processes.ErrEnded
	}
	err := p.do("kill", p.end)
	time.Sleep(p.c.killing)
	return err
}

func (p *process) hasEnded() bool {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	return p.c.gone[p.node]
}

// Stop hands on what the node leads, and then takes its time. The lock is not held meanwhile:
// virtual time stands still while somebody waits for a lock.
func (p *process) Stop(context.Context) error {
	if p.hasEnded() {
		return processes.ErrEnded
	}
	err := p.do("stop", p.handOn)
	time.Sleep(p.c.stopping)
	if err == nil {
		p.c.mu.Lock()
		defer p.c.mu.Unlock()
		p.c.dead[p.node], p.c.gone[p.node] = true, true
	}
	return err
}

func (p *process) end() {
	p.c.dead[p.node], p.c.gone[p.node] = true, true
	p.handOn()
}

// handOn makes another node lead after a while, if this one does.
func (p *process) handOn() {
	if p.c.leader == p.node {
		p.c.leader = -1
		time.AfterFunc(p.c.electing, func() {
			p.c.mu.Lock()
			defer p.c.mu.Unlock()
			p.c.leader = (p.node + 1) % 3
		})
	}
}

func (p *process) Start(ctx context.Context) error {
	p.c.mu.Lock()
	delete(p.c.gone, p.node)
	p.c.mu.Unlock()
	select {
	case <-time.After(p.c.starting):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return p.do("start", func() { delete(p.c.dead, p.node) })
}

func (p *process) Pause(context.Context) error {
	if p.c.dead[p.node] {
		return errDead
	}
	return p.do("pause", func() { p.c.paused[p.node] = true })
}

func (p *process) Resume(context.Context) error {
	return p.do("resume", func() { delete(p.c.paused, p.node) })
}

// A silent is a factory that does not say who leads.
type silent struct{ requester.Factory }
