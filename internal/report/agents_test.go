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

// agentWith is an agent all of whose messages took as long.
func agentWith(name string, took time.Duration) results.Agent {
	h := histogram.New()
	for range 1000 {
		h.Record(took)
	}
	return results.Agent{
		Name: name, Connections: 2, Environment: results.Environment{Host: "host-" + name}, Clock: results.AgentClock{BoundNS: 40_000, LateNS: 300_000},
		OfferedPerS: 100, Ledger: results.Ledger{Due: 1000, Done: 1000}, Response: results.NewDistribution(h, 0), Verdict: results.Valid,
	}
}

// The details show the slow client, and a row for each agent, also one that was lost.
func TestASlowAgentShows(t *testing.T) {
	slow := agentWith("a2", 9*time.Millisecond)
	lost := results.Agent{Name: "a3", Lost: "killed", Ledger: results.Ledger{Due: 1000, Lost: 1000}, Verdict: results.Invalid}
	c := &results.Cell{
		ID: "c", Plan: plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 300, Size: 1024, Connections: 6}, Repeat: 1},
		Response: slow.Response, Agents: []results.Agent{agentWith("a1", time.Millisecond), slow, lost},
	}
	run := results.Run{Cells: []results.Entry{{ID: "c", Verdict: results.Suspect}}}
	details := written(t, report.Run(run, []*results.Cell{c}, nil, true), document.Text)
	plain := strings.Join(strings.Fields(details), " ")
	if want := "nats 300/s 1KiB: 3 agents, p50 from 1.00 ms (a1) to 9.00 ms (a2), p99 from 1.00 ms (a1) to 9.00 ms (a2); began within ±0.340 ms"; !strings.Contains(plain, want) {
		t.Errorf("want %q:\n%s", want, details)
	}
	wantNarrow(t, details)
	for _, want := range []string{"host-a1", "host-a2", "LOST", "0+1000L", "floor p99", "3 agents, p50 from 1.00 ms (a1)"} {
		if !strings.Contains(details, want) {
			t.Errorf("want %q:\n%s", want, details)
		}
	}
}

// What an agent says of itself moves no cursor, in no format for people.
func TestAnAgentMovesNoCursor(t *testing.T) {
	hostile := agentWith("a1", time.Millisecond)
	hostile.Environment.Host, hostile.Lost = "h\x1b[2J", "killed\x1b]0;x\a"
	c := &results.Cell{
		ID: "c", Plan: plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 300, Size: 1024, Connections: 6}, Repeat: 1},
		Response: hostile.Response, Agents: []results.Agent{hostile}, Events: []results.Event{{Text: "a\x1b[2Jb"}},
	}
	run := results.Run{Cells: []results.Entry{{ID: "c", Error: "refused\x1b[2J"}}}
	for _, f := range []document.Format{document.Text, document.CSV, document.Markdown} {
		if text := written(t, report.Run(run, []*results.Cell{c}, nil, true), f); strings.ContainsAny(text, "\x1b\a") {
			t.Errorf("%s: %q", f, text)
		}
	}
}

// Programs find a row for each agent below that of its cell, which says how far they are apart.
func TestAgentsAsCSV(t *testing.T) {
	lost := results.Agent{Name: "a3", Lost: "killed", Ledger: results.Ledger{Due: 1000, Lost: 1000}, Verdict: results.Invalid}
	shared := &results.Cell{
		ID: "c", Plan: plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 300, Size: 1024, Connections: 6}, Repeat: 1},
		Ledger: results.Ledger{Due: 3000, Done: 2000, Lost: 1000}, Agents: []results.Agent{agentWith("a1", time.Millisecond), agentWith("a2", 9*time.Millisecond), lost},
	}
	alone := &results.Cell{ID: "d", Plan: shared.Plan, Ledger: results.Ledger{Due: 5, Done: 5}}
	lines := rows(t, written(t, report.Run(results.Run{}, []*results.Cell{shared, alone}, nil, false), document.CSV))
	if len(lines) != 6 {
		t.Fatalf("%d lines, want a head, a cell, its three agents and a cell", len(lines))
	}
	field := func(line int, name string) string { return lines[line][slices.Index(lines[0], name)] }
	for _, want := range []struct {
		line        int
		name, value string
	}{
		{1, "agents", "3"},
		{1, "agents_lost", "1"},
		{1, "agents_p99_least", "a1"},
		{1, "agents_p99_most", "a2"},
		{1, "agent", ""},
		{1, "done", "2000"},
		{2, "agent", "a1"},
		{2, "cell", "c"},
		{2, "done", "1000"},
		{2, "connections", "2"},
		{2, "rate_per_s", "100"},
		{2, "agent_clock_bound_ns", "40000"},
		{2, "agents", ""},
		{4, "agent", "a3"},
		{4, "agent_lost", "killed"},
		{4, "lost", "1000"},
		{4, "verdict", "invalid"},
		{5, "agent", ""},
		{5, "agents", ""},
		{5, "done", "5"},
	} {
		if got := field(want.line, want.name); got != want.value {
			t.Errorf("line %d, %s: %q, want %q", want.line, want.name, got, want.value)
		}
	}
	if least := field(1, "agents_p50_least_ns"); len(least) != 7 || len(field(1, "agents_p50_most_ns")) != 7 {
		t.Errorf("p50 from %s ns", least)
	}
}
