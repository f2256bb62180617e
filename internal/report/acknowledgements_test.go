package report_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// acking returns a repeat of a target that acknowledges.
func acking(repeat int, change func(*results.Cell)) *results.Cell {
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

// Losses come first. Only --details accounts for the acknowledgements, of repeats in one line.
func TestPromises(t *testing.T) {
	run := func(details bool, cells ...*results.Cell) *document.Document {
		return report.Run(results.Run{}, cells, nil, details)
	}
	lost := func(c *results.Cell) {
		c.Audit = &results.Audit{Acked: 110, Kept: 108, Missing: 2, First: &results.MessageID{Seq: 7}, Last: &results.MessageID{Conn: 1, Seq: 9}}
	}
	queue := func(a results.Audit) *results.Cell {
		a.Acked, a.Taken = 110, true
		return acking(1, func(c *results.Cell) { c.Audit = &a })
	}
	id := &results.MessageID{Seq: 7}
	wantTogether(t, "promises.txt", []named{
		{"lost", run(false, acking(1, nil), acking(2, lost))},
		{"details", run(true, acking(1, nil), acking(2, lost))},
		{"whole", run(false, acking(1, nil))},
		{"a queue that lost some", run(false, queue(results.Audit{Delivered: 80, Kept: 20, Missing: 10, First: id, Last: id}))},
		{"a queue", run(false, queue(results.Audit{Delivered: 80, Kept: 30}))},
	})
}
