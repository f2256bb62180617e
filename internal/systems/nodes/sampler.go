package nodes

import (
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/results"
)

// A sampler follows what the nodes of a system use. It is used by one goroutine at a time.
type sampler struct {
	samples int
	nodes   []nodeSampler
	tree    process.Tree
}

// perTree is how many samples use the same tree of processes: those that began in between
// count from the next one on, with all that they did.
const perTree = 10

// lateSample is how long a sample waits for that of another machine.
const lateSample = 500 * time.Millisecond

// A nodeSampler follows what one node uses.
type nodeSampler struct {
	before map[process.ID]process.Counters // of its processes at the last sample

	mu     sync.Mutex
	main   process.ID // its first process, as last seen
	asking bool       // somebody asks for it
}

// Sample returns what each node did since the previous call; the first call only begins. It
// calls pause, which waits for some milliseconds, between two things that it reads. It
// implements measure.Nodes.
func (s *System) Sample(pause func()) (used []results.NodeUsage) {
	first := s.sampler.samples == 0
	if first {
		s.sampler.nodes = make([]nodeSampler, len(s.Nodes))
	}
	if s.sampler.samples%perTree == 0 {
		s.sampler.tree = process.NewTree(pause)
	}
	s.sampler.samples++
	wait := lateSample
	if first {
		wait = askTime
	}
	every(s.hosts, func(h *host) error { h.sample(wait); return nil })
	for i, n := range s.Nodes {
		if far, ok := n.way.(remote); ok {
			used = append(used, far.usage())
			continue
		}
		w := &s.sampler.nodes[i]
		used = append(used, w.sample(n, s.sampler.tree.Family(w.first(n, !first)), pause))
	}
	if first {
		return nil
	}
	return used
}

// first returns the first process of the node. One that is gone may have been started again:
// to ask a tool such as docker for it takes a while, so the answer is there for the next
// sample. Only before the first sample is it waited for.
func (w *nodeSampler) first(n *Node, began bool) process.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asking || w.main.PID != 0 && w.main.Alive() {
		return w.main
	}
	if quick, ok := n.way.(interface{ first() process.ID }); ok {
		w.main = quick.first()
		return w.main
	}
	if !began {
		w.main = n.way.main()
		return w.main
	}
	w.asking = true
	go func() {
		id := n.way.main()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.main, w.asking = id, false
	}()
	return process.ID{}
}

// sample returns what a node's processes did since the last sample. One that is new did
// everything since then.
func (w *nodeSampler) sample(n *Node, family []process.ID, pause func()) results.NodeUsage {
	u := results.NodeUsage{Node: n.Name, Processes: int64(len(family))}
	if !n.way.here() {
		return u
	}
	now := make(map[process.ID]process.Counters, len(family))
	var sum process.Counters
	sum.CPU, sum.Resident, sum.Read, sum.Written, sum.Cancelled = new(time.Duration), new(int64), new(int64), new(int64), new(int64)
	for _, id := range family {
		c, before := id.Count(pause), w.before[id]
		now[id] = c
		add(&sum.CPU, before.CPU, c.CPU)
		add(&sum.Resident, nil, c.Resident)
		add(&sum.Read, before.Read, c.Read)
		add(&sum.Written, before.Written, c.Written)
		add(&sum.Cancelled, before.Cancelled, c.Cancelled)
		pause()
	}
	w.before = now
	u.CPUNS = (*int64)(sum.CPU)
	u.ResidentBytes, u.ReadBytes, u.WrittenBytes, u.CancelledBytes = sum.Resident, sum.Read, sum.Written, sum.Cancelled
	return u
}

// add adds by how much a counter grew, from nothing if it was not there before. A sum of
// which a part is not known is not known.
func add[T int64 | time.Duration](sum **T, before, now *T) {
	switch {
	case *sum == nil:
	case now == nil:
		*sum = nil
	case before == nil:
		**sum += *now
	default:
		**sum += max(0, *now-*before)
	}
}
