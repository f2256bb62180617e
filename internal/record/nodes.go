package record

import (
	"context"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Nodes are the nodes of a target, which are sampled while a cell is measured.
type Nodes interface {
	// Sample returns what each node did since the call before, always in the same order; the
	// first call only begins. It calls pause, which waits for some milliseconds, between two of
	// the things that it reads. It is called from one goroutine at a time.
	Sample(pause func()) []results.NodeUsage
}

// A NodeSampler samples the nodes of a target during a cell. It is used by one goroutine at a
// time. A nil sampler does nothing.
type NodeSampler struct {
	nodes  Nodes
	window Window
	start  time.Time            // of the schedule
	file   *results.NodesWriter // of every interval; nil: nowhere
	used   []results.NodeUsage  // in the interval that was taken last
	total  []results.NodeUsage  // in the window
	over   time.Duration        // how long that was
	ended  []results.NodeEnd    // by a fault or by themselves
}

// mostEnds bounds the ends of nodes that are kept.
const mostEnds = 100

// NewNodeSampler returns nil if the nodes are not known. It creates the files in a folder, which
// may be nil.
func NewNodeSampler(nodes Nodes, cell plan.Cell, folder *results.CellFolder) (*NodeSampler, error) {
	if nodes == nil {
		return nil, nil
	}
	s := &NodeSampler{nodes: nodes, window: WindowOf(cell.Settings)}
	if folder == nil {
		return s, nil
	}
	var err error
	s.file, err = folder.CreateNodes()
	return s, err
}

// Ready returns the hook for when everything is set up: the first sample finds the nodes' processes
// and connections, perhaps with a tool such as docker. That takes longer than the time between
// the hook's return and the first due. start waits for other machines; nil: there are none.
func (s *NodeSampler) Ready(start func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	if s == nil {
		return start
	}
	return func(ctx context.Context) (time.Time, error) {
		s.nodes.Sample(func() {})
		if start == nil {
			return time.Time{}, nil
		}
		return start(ctx)
	}
}

// Begin is called when the schedule begins, at start: the first interval counts from here.
func (s *NodeSampler) Begin(start time.Time) {
	if s != nil {
		s.start = start
		s.nodes.Sample(func() {})
	}
}

// Take takes an interval. Its sample comes some milliseconds after its end, and finds nodes that
// ended until then: a fault due at a whole second happens between the two.
func (s *NodeSampler) Take(from, to time.Duration, pause func()) {
	if s == nil {
		return
	}
	before := s.used
	s.used = s.nodes.Sample(pause)
	if to > from && s.window.Has(from, to) {
		s.total, s.over = results.AddNodes(s.total, s.used), s.over+to-from
	}
	for i, u := range s.used {
		if i < len(before) && before[i].Processes > 0 && u.Processes == 0 && len(s.ended) < mostEnds {
			s.ended = append(s.ended, results.NodeEnd{Node: u.Node, FromNS: int64(from), ToNS: int64(max(to, time.Since(s.start)))})
		}
	}
	if s.file == nil {
		return
	}
	for _, u := range s.used {
		s.file.Write(results.NodeInterval{FromNS: int64(from), ToNS: int64(to), NodeUsage: u})
		pause()
	}
}

// Describe writes what the window used, and what a message cost, into a cell. The
// client used clientCores; nil: unknown.
func (s *NodeSampler) Describe(c *results.Cell, clientCores *float64) {
	if s == nil {
		return
	}
	c.Nodes, c.EndedNodes = s.total, s.ended
	c.Cost = results.NewCost(s.total, int64(s.over), c.Ledger.Done, clientCores)
}

// Close ends the files. Those of a cell that never began are removed.
func (s *NodeSampler) Close(began bool) error {
	switch {
	case s == nil || s.file == nil:
		return nil
	case !began:
		s.file.Discard()
		return nil
	}
	return s.file.Close()
}

// A NodeLoop samples nodes once a second while other processes send the messages.
type NodeLoop struct {
	*NodeSampler

	stop  func() // may be called again
	over  chan struct{}
	ended sync.WaitGroup
}

// NewNodeLoop begins to sample when the schedule begins.
func NewNodeLoop(s *NodeSampler, start time.Time) *NodeLoop {
	l := &NodeLoop{NodeSampler: s, over: make(chan struct{})}
	l.stop = sync.OnceFunc(func() { close(l.over) })
	l.ended.Go(func() { l.loop(start) })
	return l
}

// loop takes an interval at every whole second of the schedule.
func (l *NodeLoop) loop(start time.Time) {
	if !l.until(start) {
		return
	}
	l.Begin(start)
	for from := time.Duration(0); ; {
		goesOn := l.until(start.Add(from - from%Period + Period))
		to := time.Since(start)
		l.Take(from, to, func() {})
		if from = to; !goesOn {
			return
		}
	}
}

// until waits for a moment, and reports whether the loop goes on.
func (l *NodeLoop) until(at time.Time) bool {
	select {
	case <-l.over:
		return false
	case <-time.After(time.Until(at)):
		return true
	}
}

// Stop ends the loop. It may be called again.
func (l *NodeLoop) Stop() {
	l.stop()
	l.ended.Wait()
}
