package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// agentWith is an agent all of whose messages took as long.
func agentWith(name string, took time.Duration) results.Agent {
	h := histogram.New()
	for range 1000 {
		h.Record(took)
	}
	return results.Agent{
		Name: name, Connections: 2, Environment: results.Environment{Host: "host-" + name}, Clock: results.AgentClock{BoundNS: 40_000},
		OfferedPerS: 100, Ledger: results.Ledger{Due: 1000, Done: 1000}, Response: results.NewDistribution(h, 0), Verdict: results.Valid,
	}
}

// The slow client shows at once; with details each has a row, also one that was lost.
func TestASlowAgentShows(t *testing.T) {
	slow := agentWith("a2", 9*time.Millisecond)
	lost := results.Agent{Name: "a3", Lost: "killed", Ledger: results.Ledger{Due: 1000, Lost: 1000}, Verdict: results.Invalid}
	c := &results.Cell{
		ID: "c", Plan: plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 300, Size: 1024, Connections: 6}, Repeat: 1},
		Response: slow.Response, Agents: []results.Agent{agentWith("a1", time.Millisecond), slow, lost},
	}
	run := results.Run{Cells: []results.Entry{{ID: "c", Verdict: results.Suspect}}}
	brief := written(t, report.Run(run, []*results.Cell{c}, nil, false), document.Text)
	plain := strings.Join(strings.Fields(brief), " ")
	if want := "nats 300/s 1KiB: 3 agents, p50 from 1.00 ms (a1) to 9.00 ms (a2), p99 from 1.00 ms (a1) to 9.00 ms (a2); began within ±0.0400 ms"; !strings.Contains(plain, want) {
		t.Errorf("want %q:\n%s", want, brief)
	}
	wantNarrow(t, brief)
	details := written(t, report.Run(run, []*results.Cell{c}, nil, true), document.Text)
	for _, want := range []string{"host-a1", "host-a2", "LOST", "0+1000L"} {
		if !strings.Contains(details, want) {
			t.Errorf("want %q:\n%s", want, details)
		}
	}
}
