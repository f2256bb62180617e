package html

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// inSecond is what a node did in a second: 1 ms of CPU time, or nothing as it was dead.
func inSecond(node string, second int64, alive bool) results.NodeInterval {
	n := results.NodeInterval{FromNS: second * 1e9, ToNS: (second + 1) * 1e9, NodeUsage: results.NodeUsage{Node: node, CPUNS: new(int64), WrittenBytes: new(int64)}}
	if alive {
		n.Processes, *n.CPUNS, *n.WrittenBytes, n.ResidentBytes = 1, 1e6, 4096, new(int64(1<<20))
	}
	return n
}

// However long the run was, the page has as many lines, and all that the nodes did. A node
// that was dead for a part of a line is dead there for that part.
func TestNodesOfALongRunAreFew(t *testing.T) {
	for _, seconds := range []int64{1, 20, mostLines + 1, 5*mostLines + 3} {
		line := newTimeline()
		for second := range seconds {
			line.addNode(inSecond("1", second, true))
			line.addNode(inSecond("2", second, second%10 < 5))
		}
		cpu, gone := int64(0), int64(0)
		list := line.intervals()
		for _, l := range list {
			cpu, gone = cpu+*l.Nodes[0].CPUNS, gone+l.Nodes[1].GoneNS
			if all := l.Nodes[1].RanNS + l.Nodes[1].GoneNS; all != (l.To-l.From)*1e6 || l.Nodes[1].RanNS == 0 && l.Nodes[1].CPUNS != nil {
				t.Fatalf("%d seconds: %+v", seconds, l)
			}
		}
		if len(list) > mostLines || cpu != seconds*1e6 || gone != (seconds/10*5+max(0, seconds%10-5))*1e9 {
			t.Errorf("%d seconds: %d lines, %d ns of CPU time, %d ns without a process", seconds, len(list), cpu, gone)
		}
	}
}

// More nodes than lines can be told apart are counted, and take no room.
func TestManyNodesAreCounted(t *testing.T) {
	store, err := results.Create(t.TempDir(), "many", time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := store.CreateCell("many")
	if err != nil {
		t.Fatal(err)
	}
	file, err := folder.CreateNodes()
	if err != nil {
		t.Fatal(err)
	}
	for second := range int64(3) {
		for node := range 100 {
			file.Write(inSecond(fmt.Sprint(node), second, true))
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := newDetail(source.Source{Path: folder.Dir(), Cell: &results.Cell{ID: "many"}}, plot.Options{})
	if err != nil || len(d.Nodes) != mostNodes || d.MoreNodes != 100-mostNodes || len(d.Intervals) != 3 || len(d.Intervals[2].Nodes) != mostNodes {
		t.Errorf("%d nodes, %d more, %d intervals: %v", len(d.Nodes), d.MoreNodes, len(d.Intervals), err)
	}
}

// The page tells apart what is zero, what is not known, and what is not there.
func TestANodeInTheBlob(t *testing.T) {
	line := newTimeline()
	line.addNode(inSecond("1", 0, true))
	line.addNode(inSecond("2", 0, false))
	unknown := inSecond("3", 0, true)
	unknown.WrittenBytes = nil
	line.addNode(unknown)
	line.addNode(inSecond("2", 1, true))
	text, err := json.Marshal(line.intervals())
	var got []struct{ Nodes json.RawMessage }
	if err != nil || json.Unmarshal(text, &got) != nil || len(got) != 2 {
		t.Fatalf("%s: %v", text, err)
	}
	for i, want := range []string{
		"[[1000,0,1000000,1048576,null,4096],[0,1000,null,null,null,null],[1000,0,1000000,1048576,null,null]]",
		"[null,[1000,0,1000000,1048576,null,4096]]",
	} {
		if string(got[i].Nodes) != want {
			t.Errorf("second %d: %s, want %s", i, got[i].Nodes, want)
		}
	}
}
