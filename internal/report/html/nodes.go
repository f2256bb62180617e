package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/results"
)

// mostNodes is how many nodes of a cell the page shows: as many lines as can be told apart.
const mostNodes = palette.Lines

// A nodeSpan is the use of a node in a line of the timeline; null if it is unknown.
type nodeSpan struct{ results.NodeSpan }

// MarshalJSON writes a list, since there are many: ms that it ran, ms in which no process of
// it was there, CPU time in ns, resident bytes, bytes read and written.
func (s nodeSpan) MarshalJSON() ([]byte, error) {
	if s.RanNS+s.GoneNS == 0 {
		return []byte("null"), nil
	}
	ms := func(ns int64) *int64 { return new(time.Duration(ns).Round(time.Millisecond).Milliseconds()) }
	return json.Marshal([]*int64{ms(s.RanNS), ms(s.GoneNS), s.CPUNS, s.ResidentBytes, s.ReadBytes, s.WrittenBytes})
}

// addNode adds what a node did in an interval. Nodes behind the first mostNodes are counted
// only.
func (t *timeline) addNode(n results.NodeInterval) {
	i := slices.Index(t.nodes, n.Node)
	if i < 0 {
		i, t.nodes = len(t.nodes), append(t.nodes, n.Node)
	}
	if i >= mostNodes {
		return
	}
	span := make([]nodeSpan, i+1)
	span[i] = nodeSpan{n.Span()}
	t.at(time.Duration(n.FromNS), time.Duration(n.ToNS)).addNodes(span)
	t.bound()
}

// addNodes adds what nodes did in the line, or in one that follows.
func (l *interval) addNodes(next []nodeSpan) {
	for i, s := range next {
		if i == len(l.Nodes) {
			l.Nodes = append(l.Nodes, nodeSpan{})
		}
		l.Nodes[i] = nodeSpan{l.Nodes[i].Plus(s.NodeSpan)}
	}
}

// addNodes adds what the nodes of a cell did, if they were known.
func (d *detail) addNodes(t *timeline, folder *results.CellFolder) error {
	nodes, err := folder.ReadNodes()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading %s of %v: %w", results.NodesFile, d.Cell.Plan, err)
	}
	for _, n := range nodes {
		t.addNode(n)
	}
	shown := min(len(t.nodes), mostNodes)
	d.Nodes, d.MoreNodes = t.nodes[:shown], len(t.nodes)-shown
	return nil
}
