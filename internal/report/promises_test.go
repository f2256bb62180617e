package report_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// promising returns a repeat of a target that acknowledges.
func promising(repeat int, change func(*results.Cell)) *results.Cell {
	acks := results.Distribution{Count: 100}
	c := &results.Cell{
		Plan:    plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 10, Size: 64, Connections: 1}, Repeat: repeat},
		Verdict: results.Valid, Ledger: results.Ledger{Due: 100, Done: 100}, Ack: &acks, Complete: &acks,
		AckLedger: &results.AckLedger{Acked: 100, Delivered: 100, Early: 50}, Audit: &results.Audit{Acked: 110, Kept: 110},
	}
	c.ID = c.Plan.ID()
	if change != nil {
		change(c)
	}
	return c
}

// Repeats share a line, and what is lost stands first.
func TestPromises(t *testing.T) {
	lost := func(c *results.Cell) {
		c.Audit = &results.Audit{Acked: 110, Kept: 108, Missing: 2, First: &results.MessageID{Seq: 7}, Last: &results.MessageID{Conn: 1, Seq: 9}}
	}
	text := report.Run(results.Run{}, []*results.Cell{promising(1, nil), promising(2, lost)}, nil, false).Text()
	if !strings.HasPrefix(text, "LOST nats-10-64B-c1-fopen-r2: 2 of 110 messages that were acknowledged are not in the store: the first is message 7 of\n  connection 0") {
		t.Errorf("%s", text)
	}
	if n := strings.Count(text, "nats-10-64B-c1-fopen: 200 acknowledged; 218 in the store, 2 LOST\n"); n != 1 {
		t.Errorf("%d lines of promises in\n%s", n, text)
	}
	if strings.Contains(text, "before they were acknowledged") {
		t.Errorf("which came first is for --details:\n%s", text)
	}
	detailed := report.Run(results.Run{}, []*results.Cell{promising(1, nil)}, nil, true).Text()
	if !strings.Contains(strings.Join(strings.Fields(detailed), " "), "100 acknowledged; 50 delivered before they were acknowledged, as the client handed them over; all 110") {
		t.Errorf("%s", detailed)
	}
	whole := report.Run(results.Run{}, []*results.Cell{promising(1, nil)}, nil, false).Text()
	if strings.Contains(whole, "LOST") || !strings.Contains(strings.Join(strings.Fields(whole), " "), "all 110 of window and warm-up are in the store") {
		t.Errorf("%s", whole)
	}
}

// What consumers took out of a queue is delivered or kept.
func TestPromisesOfAQueue(t *testing.T) {
	of := func(a results.Audit) string {
		a.Taken = true
		return strings.Join(strings.Fields(report.Run(results.Run{}, []*results.Cell{promising(1, func(c *results.Cell) { c.Audit = &a })}, nil, false).Text()), " ")
	}
	id := &results.MessageID{Seq: 7}
	text := of(results.Audit{Acked: 110, Delivered: 80, Kept: 20, Missing: 10, First: id, Last: id})
	for _, want := range []string{"10 of 110 messages that were acknowledged were neither delivered nor kept: the first is message 7", "100 acknowledged; 100 delivered or kept, 10 LOST"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text = of(results.Audit{Acked: 110, Delivered: 80, Kept: 30}); !strings.Contains(text, "all 110 of window and warm-up were delivered or kept") {
		t.Errorf("%s", text)
	}
}
