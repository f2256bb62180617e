package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// What is known of all sizes together is said once, and not as if it were of one size.
func TestWhatAllSizesHaveInCommonIsSaidOnce(t *testing.T) {
	c := cell("nats", plan.Shape{Rate: 100, Sizes: "256B:90%,4096B:10%", Connections: 2}, results.Ledger{Due: 1000, Done: 1000}, time.Millisecond)
	few := results.SizeResult{Ledger: results.Ledger{Due: 100, Done: 100}, Response: distribution(time.Millisecond, 100, 0), Service: distribution(time.Millisecond, 100, 0)}
	many := results.SizeResult{Ledger: results.Ledger{Due: 900, Done: 900}, Response: distribution(time.Millisecond, 900, 0), Service: distribution(time.Millisecond, 900, 0)}
	c.Sizes = []results.SizeResult{many, few}
	c.AckLedger, c.Audit = &results.AckLedger{Acked: 1000}, &results.Audit{Kept: 999, Acked: 1000, Missing: 1, Gone: true}
	c.Faults = []results.Fault{{Plan: plan.Fault{Do: plan.Kill, Node: "g0"}, BeganNS: 1, BrokenNS: 2, Impact: &results.Impact{Due: 500, Done: 498, Lost: 2}}}
	c.Partitions = []results.Partition{{Number: 0, Messages: 700}, {Number: 1, Messages: 300}}
	c.Agents = []results.Agent{
		{Name: "a1", Ledger: c.Ledger, Response: distribution(time.Millisecond, 500, 0)},
		{Name: "a2", Ledger: c.Ledger, Response: distribution(2*time.Millisecond, 500, 0)},
	}
	c.Problems, c.Interrupted = []results.Problem{{Code: "few", Severity: results.Suspect, Text: "too few to tell"}}, true
	run := results.Run{Interrupted: true, Cells: []results.Entry{{ID: c.ID, Verdict: results.Suspect}}}
	run.Plan.Targets = []plan.Target{c.Plan.Target}
	doc := report.Run(run, sections.Of(c), nil, true)
	text := strings.Join(strings.Fields(written(t, doc, document.Text)), " ")
	for want, times := range map[string]int{
		"INTERRUPTED: 1 of 1 cell measured, 1 of them not": 1,
		"LOST ": 1, "nats, all sizes, kill g0 at 0s: 2 of 500 messages due from then on are missing.": 1, "kill g0": 2,
		"nats 100/s 256B:90%,4KiB:10%: 2 agents, p50 from": 1, " a1 ": 1, "the hottest of 2 partitions": 1,
		"1000 acknowledged": 1, "too few to tell": 2, // also why numbers are not usable
	} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%d times %q, want %d", got, want, times)
		}
	}
	for _, label := range []string{"256 B (90", "4 KiB (10"} {
		if i := strings.Index(text, label+" % of the messages) at 100/s, 2 connections: "); i >= 0 {
			t.Errorf("of one size: %.150s", text[i:])
		}
	}
	if got := rows(t, written(t, doc, document.CSV)); len(got) != 1+2+2 { // the header, sizes and agents
		t.Errorf("%d rows", len(got))
	}
	if got := sections.Wholes(sections.Of(c)); len(got) != 1 || got[0] != c {
		t.Errorf("%d cells for one of two sizes", len(got))
	}
}
