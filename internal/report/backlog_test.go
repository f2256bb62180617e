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

// Rows of cells with backlogs and without one can be told apart.
func TestBacklogsHaveColumns(t *testing.T) {
	run, cells := sample()
	cells[0].Plan.Shape.Backlog, cells[0].Plan.Settings.Cold = plan.Backlog{Messages: 10_000}, true
	cells[0].Backlog = &results.Backlog{Messages: 10_000, Stored: 10_000, Left: 1, LastNS: new(int64(1e9)), PerS: 9999}
	cells[1].Plan.Shape.Backlog = plan.Backlog{Bytes: 1 << 30}
	table := rows(t, written(t, report.Run(run, cells, nil, false), document.CSV))
	for i, want := range []string{
		"backlog_messages backlog_bytes cold backlog_stored drain_ns backlog_left backlog_last_ns drained_per_s",
		"10000  true 10000  1 1000000000 9999", " 1073741824      ", "       ",
	} {
		if got := strings.Join(table[i][len(table[i])-8:], " "); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
}

// The estimate of a plan says what a backlog adds: the store is filled, and the window is the least timeout.
func TestAPlanSaysWhatABacklogTakes(t *testing.T) {
	shape := plan.Shape{Rate: 100, Size: 256, Connections: 1, Topology: plan.Topology{Topics: 1, Groups: 2, Members: 1}, Backlog: plan.Backlog{Messages: 1000}}
	p := plan.Plan{
		Targets: []plan.Target{{Name: "nats", URL: "nats://127.0.0.1:4222"}}, Shapes: []plan.Shape{shape},
		Settings: plan.Settings{Duration: time.Minute, Warmup: 5 * time.Second, Timeout: 30 * time.Second},
	}
	const want = "and up to 1m0s more for each cell whose replies are late; filling the store with a backlog takes up to 8m0s more, and waiting for the rest of it after that up to 1m0s"
	if text := strings.Join(strings.Fields(written(t, report.Plan(p), document.Text)), " "); !strings.Contains(text, want) {
		t.Errorf("%s\nwant %q", text, want)
	}
}
