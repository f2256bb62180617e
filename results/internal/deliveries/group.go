// Package deliveries holds what groups of consumers received.
package deliveries

import (
	"fmt"

	"github.com/brokerbench/brokerbench/requester/load"
)

// A Group is what one group of consumers received: the ledger of its deliveries, which it is owed once for
// each message, and how its members shared them.
type Group struct {
	Number     int         `json:"group"`  // counted from 0
	Ledger     load.Ledger `json:"ledger"` // due are the deliveries that it was owed
	Duplicate  int64       `json:"duplicate"`
	Disordered int64       `json:"disordered"` // deliveries to a member that already had a later message of the same producer
	Members    []int64     `json:"members"`    // messages that each received; duplicates do not count
	P50NS      *int64      `json:"p50_ns"`     // from due until the group had the message; null: unknown, because missing deliveries rank here
	P99NS      *int64      `json:"p99_ns"`
	MaxNS      int64       `json:"max_ns"` // of the values
}

// Owed describes the deliveries that are missing, such as "group 2 misses 10 of 100000 deliveries"; "" if none is.
func (g Group) Owed() string {
	n := g.Ledger.Missing()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("group %d misses %d of %d deliveries", g.Number, n, g.Ledger.Due)
}
