package input

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A Nodes is what each node of a cell's target did over time.
type Nodes struct {
	Subject

	Nodes []Node // in the order of the file
}

// A Node is one of them.
type Node struct {
	Name  string
	Spans []NodeSpan
}

// A NodeSpan is what a node did from one moment to another, in nanoseconds from the log's
// start.
type NodeSpan struct {
	FromNS, ToNS int64
	results.NodeSpan
}

// mostSpans is how many stretches of a node are drawn, however long the run was: more than
// a chart has pixels.
const mostSpans = 1200

// ErrNoNodes is the error of a cell whose nodes were unknown.
var ErrNoNodes = errors.New("brokerbench did not know the nodes of its target (docs/systems.md says how it does)")

// NewNodes reads what the nodes of a cell did. The error is [ErrNoNodes] if they were not
// known, and [ErrInput] of a file.
func NewNodes(s source.Source, name string) (Nodes, error) {
	if s.Cell == nil {
		return Nodes{}, fmt.Errorf("%s: %w: a file has no nodes (want the folder of a run or of cells)", s.Path, ErrInput)
	}
	list, err := results.OpenCell(s.Path).ReadNodes()
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0:
		return Nodes{}, fmt.Errorf("%s: %w: %w", s.Path, ErrInput, ErrNoNodes)
	case err != nil:
		return Nodes{}, err
	}
	n := Nodes{Subject: subjectOf([]source.Source{s}, name)}
	for _, each := range list {
		i := slices.IndexFunc(n.Nodes, func(known Node) bool { return known.Name == each.Node })
		if i < 0 {
			i, n.Nodes = len(n.Nodes), append(n.Nodes, Node{Name: each.Node})
		}
		n.Nodes[i].Spans = append(n.Nodes[i].Spans, NodeSpan{each.FromNS, each.ToNS, each.Span()})
	}
	for i := range n.Nodes {
		n.Nodes[i].Spans = fewer(n.Nodes[i].Spans)
	}
	return n, nil
}

// fewer makes one of neighbours where there are more than mostSpans.
func fewer(spans []NodeSpan) (drawn []NodeSpan) {
	each := (len(spans) + mostSpans - 1) / mostSpans
	for together := range slices.Chunk(spans, max(each, 1)) {
		sum := together[0]
		for _, next := range together[1:] {
			sum.ToNS, sum.NodeSpan = next.ToNS, sum.Plus(next.NodeSpan)
		}
		drawn = append(drawn, sum)
	}
	return drawn
}
