package measure

import (
	"context"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Nodes are those of a target, which are watched while a cell is measured.
type Nodes interface {
	// Sample returns what each node did since the call before, always in the same order; the
	// first call only begins. It calls rest, which waits for some milliseconds, between two of
	// the things that it reads. It is called from one goroutine at a time.
	Sample(rest func()) []results.NodeUsage
}

// Systems are those behind the targets of a run.
type Systems interface {
	// Starts tells whether a target only runs once it was started.
	Starts(t plan.Target) bool
	// Start is called before each cell. It makes the target ready, and returns its nodes; nil
	// if they are not known.
	Start(ctx context.Context, t plan.Target) (Nodes, error)
}

// watching is what the nodes of a target do during a cell. It is used on the goroutine of
// the intervals. A nil watching does nothing.
type watching struct {
	nodes Nodes
	start time.Time            // of the schedule
	file  *results.NodesWriter // of every interval; nil: nowhere
	used  []results.NodeUsage  // in the interval that was taken last
	total []results.NodeUsage  // in the window
	over  time.Duration        // how long that was
	ended []results.NodeEnd    // whatever ended them
}

// mostEnds bounds the ends of nodes that are kept.
const mostEnds = 100

// newWatching returns nil if the nodes are not known. It begins the files in a folder, which
// may be nil.
func newWatching(nodes Nodes, folder *results.CellFolder) (*watching, error) {
	if nodes == nil {
		return nil, nil
	}
	w := &watching{nodes: nodes}
	if folder == nil {
		return w, nil
	}
	var err error
	w.file, err = folder.CreateNodes()
	return w, err
}

// ready returns the hook for when everything is set up: the first sample finds the nodes' processes
// and connections, and may ask a tool such as docker for them. That takes longer than there
// is between the hook's return and the first due. start waits for others, if there are any; nil: none.
func (w *watching) ready(start func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	if w == nil {
		return start
	}
	return func(ctx context.Context) (time.Time, error) {
		w.nodes.Sample(func() {})
		if start == nil {
			return time.Time{}, nil
		}
		return start(ctx)
	}
}

// begin is called when the schedule begins, at start: the first interval counts from here.
func (w *watching) begin(start time.Time) {
	if w != nil {
		w.start = start
		w.nodes.Sample(func() {})
	}
}

// take takes an interval. Its sample comes some milliseconds after its end, and finds what has
// ended until then: a fault of a whole second is made right between the two.
func (w *watching) take(from, to time.Duration, rest func()) {
	if w == nil {
		return
	}
	before := w.used
	w.used = w.nodes.Sample(rest)
	for i, u := range w.used {
		if i < len(before) && before[i].Processes > 0 && u.Processes == 0 && len(w.ended) < mostEnds {
			w.ended = append(w.ended, results.NodeEnd{Node: u.Node, FromNS: int64(from), ToNS: int64(max(to, time.Since(w.start)))})
		}
	}
	if w.file == nil {
		return
	}
	for _, u := range w.used {
		w.file.Write(results.NodeInterval{FromNS: int64(from), ToNS: int64(to), NodeUsage: u})
		rest()
	}
}

// keep adds the interval that was taken to the window if most of it belongs there: one that
// ends some microseconds late would count the warm-up's CPU time for the window's messages.
func (w *watching) keep(from, to time.Duration, window span) {
	if middle := (from + to) / 2; w != nil && to > from && middle >= window.from && middle < window.to {
		w.total, w.over = results.AddNodes(w.total, w.used), w.over+to-from
	}
}

// describe writes what the window used, and what a message cost, into a cell that knows its
// faults. clientCores were used here; nil: not known.
func (w *watching) describe(c *results.Cell, clientCores *float64) {
	if w == nil {
		return
	}
	c.Nodes, c.EndedNodes = w.total, endedAlone(w.ended, c.Faults)
	c.Cost = results.NewCost(w.total, int64(w.over), c.Ledger.Done, clientCores)
}

// coresHere returns how many cores this process used in a cell; nil if it is not known.
func coresHere(c *results.Cell) *float64 {
	if c.Usage == nil {
		return nil
	}
	return &c.Usage.Process.CPUCores
}

// endedAlone returns the ends of nodes that no fault had ended: none that ends that node, or that
// runs a command, which may end any. Each says which other fault had the node.
func endedAlone(ends []results.NodeEnd, faults []results.Fault) (alone []results.NodeEnd) {
	for _, e := range ends {
		byFault := false
		for _, f := range faults {
			if !f.Done() || f.BeganNS > e.ToNS || f.HealedNS != nil && *f.HealedNS < e.FromNS {
				continue
			}
			switch its := slices.Contains(f.Nodes, e.Node); {
			case f.Plan.Do == plan.Run, its && (f.Plan.Do == plan.Kill || f.Plan.Do == plan.Stop):
				byFault = true
			case its:
				e.During = f.Name()
			}
		}
		if !byFault {
			alone = append(alone, e)
		}
	}
	return alone
}

// close ends the files. Those of a cell that never began are removed.
func (w *watching) close(began bool) error {
	switch {
	case w == nil || w.file == nil:
		return nil
	case !began:
		w.file.Discard()
		return nil
	}
	return w.file.Close()
}
