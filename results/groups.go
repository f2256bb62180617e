package results

import (
	"fmt"

	"github.com/brokerbench/brokerbench/requester/load"
)

// A Group is what one group of consumers received: the ledger of its deliveries, which it is owed once for
// each message, and how its members shared them.
type Group struct {
	Number     int     `json:"group"`  // counted from 0
	Ledger     Ledger  `json:"ledger"` // due are the deliveries that it was owed
	Duplicate  int64   `json:"duplicate"`
	Disordered int64   `json:"disordered"` // deliveries to a member that already had a later message of the same producer
	Members    []int64 `json:"members"`    // messages that each received; duplicates do not count
	P50NS      *int64  `json:"p50_ns"`     // from due until the group had the message; null: unknown, because missing deliveries rank here
	P99NS      *int64  `json:"p99_ns"`
	MaxNS      int64   `json:"max_ns"` // of the values
}

// NewGroup returns the result of a group with the distribution of its deliveries.
func NewGroup(number int, counted load.Group, each Distribution) Group {
	g := Group{
		Number: number, Ledger: counted.Ledger, Duplicate: counted.Duplicate, Disordered: counted.Disordered, Members: counted.Members,
		MaxNS: each.MaxNS,
	}
	p50, _ := each.At(50)
	p99, _ := each.At(99)
	g.P50NS, g.P99NS = p50.ValueNS, p99.ValueNS
	return g
}

// Owed describes the deliveries of a cell that are missing, by group: "group 2 misses 10 of 100,000 deliveries".
// It is "" if none is.
func (c *Cell) Owed() (texts []string) {
	for _, g := range c.Groups {
		if n := g.Ledger.Missing(); n > 0 {
			texts = append(texts, fmt.Sprintf("group %d misses %d of %d deliveries", g.Number, n, g.Ledger.Due))
		}
	}
	return texts
}
