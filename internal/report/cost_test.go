package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// watched returns a cell whose nodes are known.
func watched(repeat int, seconds int64, done int64) *results.Cell {
	c := cell("kafka", plan.Shape{Rate: 500, Size: 1024, Connections: 2}, results.Ledger{Due: done, Done: done}, time.Millisecond)
	c.Plan.Repeat = repeat
	c.ID = c.Plan.ID()
	c.Nodes = []results.NodeUsage{
		{Node: "1", Processes: 2, CPUNS: new(seconds * 500e6), ResidentBytes: new(int64(300 << 20)), ReadBytes: new(int64(0)), WrittenBytes: new(done * 1500), CancelledBytes: new(done * 600)},
		{Node: "2", Processes: 1, CPUNS: new(seconds * 250e6), ResidentBytes: new(int64(100 << 20)), ReadBytes: new(int64(4096)), WrittenBytes: new(done * 500), CancelledBytes: new(int64(0))},
	}
	c.Cost = results.NewCost(c.Nodes, seconds*1e9, done, new(0.25))
	return c
}

func TestWhatAMessageCosts(t *testing.T) {
	unknown := watched(1, 10, 5000)
	unknown.Plan.Target.Name, unknown.Nodes[0].CPUNS = "pods", nil
	unknown.ID = unknown.Plan.ID()
	unknown.Cost = results.NewCost(unknown.Nodes, 10e9, 5000, nil)
	// 10 s and 20 s at 0.75 cores; 1,500 and 500 bytes are written,
	// of which 600 and 0 never reach a disk.
	d := report.Run(results.Run{}, []*results.Cell{watched(1, 10, 5000), watched(2, 20, 5000), unknown}, nil, true)
	text := d.Text()
	for _, want := range []string{"kafka", " 0.75 ", "2.25 ms", "1.95 KiB", " 600 B", "400 MiB", "750 µs"} {
		if !strings.Contains(line(text, "kafka ", "µs"), want) {
			t.Errorf("%q is not in the row of kafka:\n%s", want, text)
		}
	}
	if row := line(text, "pods", "500  1KiB"); strings.Count(strings.Join(strings.Fields(row), ""), "-") != 3 {
		t.Errorf("unknown amounts have values: %s", row)
	}
	table := rows(t, written(t, d, document.CSV))
	at := map[string]int{}
	for i, name := range table[0] {
		at[name] = i
	}
	if got := table[1][at["nodes_cpu_ns_per_message"]]; got != "1500000" || table[3][at["nodes_cpu_ns_per_message"]] != "" {
		t.Errorf("%s ns a message in the CSV", got)
	}
	detailed := report.Run(results.Run{}, []*results.Cell{watched(1, 10, 5000)}, nil, true).Text()
	if row := line(detailed, "kafka, 1 KiB at 500/s, 2 connections", "  2 "); !strings.Contains(row, "2.50") || !strings.Contains(row, "100 MiB") || !strings.Contains(row, "4 KiB") {
		t.Errorf("the row of node 2 is %q in\n%s", row, detailed)
	}
	wantNarrow(t, text)
	if plain := report.Run(results.Run{}, []*results.Cell{acking(1, nil)}, nil, true).Text(); strings.Contains(plain, "cost") {
		t.Errorf("a target whose nodes nobody knows costs\n%s", plain)
	}
}

// line returns the line that has all of the texts.
func line(text string, parts ...string) string {
	for l := range strings.Lines(text) {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(l, part)
		}
		if all {
			return l
		}
	}
	return ""
}
