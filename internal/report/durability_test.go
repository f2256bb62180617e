package report_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func backed(name string, b requester.Backing) *results.Cell {
	return promising(1, func(c *results.Cell) {
		c.Plan.Target.Name, c.Broker.Durability = name, &b
		c.ID = c.Plan.ID()
	})
}

// What searches and compares by turns says so, too; of two sides each has its own name.
func TestDurabilityIsSaidOfSearchesAndTurns(t *testing.T) {
	process := []*results.Cell{backed("nats", requester.Backing{Level: requester.Process, Asked: requester.Process, NotVerified: []string{"x is not known"}})}
	machine := []*results.Cell{backed("nats", requester.Backing{Level: requester.Machine})}
	for name, c := range map[string]struct {
		d    *document.Document
		want []string
	}{
		"search": {
			report.Search(results.Run{}, append(process, machine...), search.Document{}),
			[]string{"durability: nats is at process, nats is at machine: not the same promise", "nats: durability process is not verified: x is not known"},
		},
		"ab": {
			report.AB(&ab.Result{}, process, machine),
			[]string{"durability: A nats is at process, B nats is at machine: not the same promise", "A nats: durability process is not verified"},
		},
		"ab of one level": {report.AB(&ab.Result{}, machine, machine), []string{"durability: A nats and B nats are at machine\n"}},
	} {
		for _, want := range c.want {
			if text := c.d.Text(); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
}

// A run says what its targets promise, whether that is the same, and what of it is in
// doubt. Where nothing is promised and nothing was asked for, it says nothing.
func TestDurabilityIsSaid(t *testing.T) {
	const none, process, machine = requester.None, requester.Process, requester.Machine
	for _, c := range []struct {
		name  string
		cells []*results.Cell
		want  []string
	}{
		{"nothing", []*results.Cell{backed("nats", requester.Backing{Level: none})}, nil},
		{"one level", []*results.Cell{backed("nats", requester.Backing{Level: process}), backed("kafka", requester.Backing{Level: process})}, []string{"durability: nats and kafka are at process\n"}},
		{
			"two levels",
			[]*results.Cell{backed("nats", requester.Backing{Level: none}), backed("kafka", requester.Backing{Level: process})},
			[]string{"durability: nats is at none, kafka is at process: not the same promise (brokerbench durability)\n"},
		},
		{
			"not verified",
			[]*results.Cell{backed("nats", requester.Backing{Level: machine, Asked: machine, NotVerified: []string{"x is not known"}})},
			[]string{"durability: nats is at machine\n", "nats: durability machine is not verified: x is not known\n"},
		},
		{
			"in vain",
			[]*results.Cell{backed("redis", requester.Backing{Level: requester.Accepted, Asked: process, Limit: "the server's appendonly is no"})},
			[]string{"durability: redis is at accepted\n", "NOT BACKED redis: durability process was asked for, but the server's appendonly is no\n"},
		},
		{
			"another level in another cell",
			[]*results.Cell{backed("nats", requester.Backing{Level: machine, Asked: machine}), backed("nats", requester.Backing{Level: process, Asked: machine, Limit: "sync is slow"})},
			[]string{"durability: nats is at process, nats is at machine: not the same promise", "NOT BACKED nats: durability machine was asked for, but sync is slow\n"},
		},
		{"more than asked for", []*results.Cell{backed("redis", requester.Backing{Level: machine, Asked: process})}, []string{"durability: redis is at process\n"}},
	} {
		text := report.Run(results.Run{}, c.cells, nil, false).Text()
		for _, line := range c.want {
			if !strings.Contains(text, line) {
				t.Errorf("%s: no %q in\n%s", c.name, line, text)
			}
		}
		if n := strings.Count(text, "durability") + strings.Count(text, "NOT BACKED"); len(c.want) == 0 && n > 0 {
			t.Errorf("%s:\n%s", c.name, text)
		}
	}
}
