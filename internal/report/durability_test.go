package report_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func backed(name string, b requester.Backing) *results.Cell {
	return acking(1, func(c *results.Cell) {
		c.Plan.Target.Name, c.Broker.Durability = name, &b
		c.ID = c.Plan.ID()
	})
}

// Searches and ab note the durability of their targets as runs do; of two sides each has its own name.
// Nothing is noted if all targets have the lowest level, and none was asked for more.
func TestDurability(t *testing.T) {
	const none, process, machine = requester.None, requester.Process, requester.Machine
	unverified := backed("nats", requester.Backing{Level: process, Asked: process, NotVerified: []string{"x is not known"}})
	plain := backed("nats", requester.Backing{Level: machine})
	kafka := backed("kafka", requester.Backing{Level: process, Asked: process})
	larger := func(c *results.Cell) *results.Cell {
		other := *c
		other.Plan.Shape.Size = 1024
		other.ID = other.Plan.ID()
		return &other
	}
	run := func(cells ...*results.Cell) *document.Document { return report.Run(results.Run{}, cells, nil, false) }
	a, b := []*results.Cell{unverified}, []*results.Cell{plain}
	wantTogether(t, "durability.txt", []named{
		{"search", report.Search(results.Run{}, []*results.Cell{unverified, plain}, search.Document{}, false)},
		{"ab", report.AB(&ab.Result{}, a, b)},
		{"ab of one level", report.AB(&ab.Result{}, b, b)},
		{"the lowest level", run(backed("nats", requester.Backing{Level: none}))},
		{"one level", run(backed("nats", requester.Backing{Level: process}), backed("kafka", requester.Backing{Level: process}))},
		{"two levels", run(backed("nats", requester.Backing{Level: none}), backed("kafka", requester.Backing{Level: process}))},
		{"not verified", run(unverified)},
		{"not verified, beside each other", run(unverified, kafka, larger(unverified), larger(kafka))},
		{"not reached", run(backed("redis", requester.Backing{Level: requester.Accepted, Asked: process, Limit: "the server's appendonly is no"}))},
		{"another level in another cell", run(
			backed("nats", requester.Backing{Level: machine, Asked: machine}),
			backed("nats", requester.Backing{Level: process, Asked: machine, Limit: "sync is slow"}))},
		{"one was refused", refusing(results.Entry{Refused: "the server's appendonly is no and the server's appendfsync is everysec", Error: "redis://h: asking: it does not back process"},
			backed("nats", requester.Backing{Level: process, Asked: process}))},
		{"more than asked for", run(backed("redis", requester.Backing{Level: machine, Asked: process}))},
	})
}

// refusing is a run of two targets, of which the second was refused.
func refusing(e results.Entry, first *results.Cell) *document.Document {
	p := plan.Plan{Targets: []plan.Target{first.Plan.Target, {Name: "redis"}}, Shapes: []plan.Shape{first.Plan.Shape}, Repeat: 1, Settings: first.Plan.Settings}
	e.ID = p.Cells()[1].ID()
	return report.Run(results.Run{Plan: p, Cells: []results.Entry{{ID: p.Cells()[0].ID(), Verdict: results.Valid}, e}}, []*results.Cell{first}, nil, false)
}
