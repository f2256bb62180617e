package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
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
		first := slices.Index(table[0], "backlog_messages")
		if got := strings.Join(table[i][first:first+8], " "); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
}

// A store that was filled is described in a sentence, and has columns.
func TestFilledStoresHaveColumns(t *testing.T) {
	run, cells := sample()
	cells[0].Plan.Shape.UntilStore = 2 << 30
	state := func(bytes, discarded int64) *results.StoreState {
		return &results.StoreState{Messages: new(int64(7)), Bytes: &bytes, Discarded: &discarded}
	}
	cells[0].StoreFill = &results.StoreFill{
		UntilBytes: 2 << 30, End: results.FillDiscards, Messages: 300_000, Bytes: 300_000 * 4096, FillNS: 12e9, LimitBytes: 1 << 30,
		Before: state(1<<30, 10), After: state(1<<30+5, 20_000), MemoryBytes: 1 << 29, Undelivered: 3,
	}
	cells[0].Audit = &results.Audit{Acked: 30, Kept: 20, Discarded: 10}
	d := report.Run(run, cells, nil, false)
	table := rows(t, written(t, d, document.CSV))
	first := slices.Index(table[0], "until_store_bytes")
	for i, want := range []string{
		"until_store_bytes store_fill_end store_before_bytes store_after_bytes store_discarded audit_discarded",
		"2147483648 discards 1073741824 1073741829 20000 10", "     ",
	} {
		if got := strings.Join(table[i][first:first+6], " "); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	text := strings.Join(strings.Fields(written(t, d, document.Text)), " ")
	for _, want := range []string{
		"300,000 messages, 1.1 GiB, in 12", "until its limit of 1.0 GiB discarded the first. It held 1.0 GiB before the window and 1.0 GiB after it",
		"it had discarded 10 messages before and 20,000 after.", "Consumers had NOT got 3 of them", "beyond the 512.0 MiB of memory",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
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

// The CSV has the percentiles of the first group and of each group, and what is missing stays empty.
func TestGroupsHaveColumns(t *testing.T) {
	run, cells := sample()
	of := func(took time.Duration, missing int64) *results.Distribution {
		h := histogram.New()
		for range 1000 {
			h.Record(took)
		}
		return new(results.NewDistribution(h, missing))
	}
	cells[0].First, cells[0].Each = of(2*time.Millisecond, 0), of(3*time.Millisecond, 20)
	table := rows(t, written(t, report.Run(run, cells, nil, false), document.CSV))
	column := func(row int, name string) string {
		i := slices.Index(table[0], name)
		if i < 0 {
			t.Fatalf("no column %s among %v", name, table[0])
		}
		return table[row][i]
	}
	for name, want := range map[string]string{"first_p50_ns": "2000000", "first_p99_ns": "2000000", "each_p50_ns": "3000000", "each_p99_ns": ""} {
		if got := column(1, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		if got := column(2, name); got != "" {
			t.Errorf("%s of a cell without groups is %q", name, got)
		}
	}
}
