// Package deliveries holds what groups of consumers received.
package deliveries

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	// MembersP99NS has the p99 of what each member received, from due; null: it received too few. Absent with more
	// than 64 consumers.
	MembersP99NS []*int64 `json:"members_p99_ns,omitempty"`
	P50NS        *int64   `json:"p50_ns"` // from due until the group had the message; null: unknown, because missing deliveries rank here
	P99NS        *int64   `json:"p99_ns"`
	MaxNS        int64    `json:"max_ns"` // of the values
}

// Owed describes the deliveries that are missing, such as "group 2 misses 10 of 100000 deliveries"; "" if none is.
func (g Group) Owed() string {
	n := g.Ledger.Missing()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("group %d misses %d of %d deliveries", g.Number, n, g.Ledger.Due)
}

// MemberP99 describes the p99 of the fastest and the slowest member, such as "1.20–3.40"; "-" if none is known.
func (g Group) MemberP99(write func(ns *int64) string) string {
	known := slices.DeleteFunc(slices.Clone(g.MembersP99NS), func(ns *int64) bool { return ns == nil })
	if len(known) == 0 {
		return "-"
	}
	order := func(a, b *int64) int { return cmp.Compare(*a, *b) }
	return write(slices.MinFunc(known, order)) + "–" + write(slices.MaxFunc(known, order))
}

// Idle names the members that received nothing, such as " Idle, without a message: g0m1, g0m2."; "" if there are none.
func Idle(groups []Group) string {
	var idle []string
	for _, g := range groups {
		for number, n := range g.Members {
			if n == 0 {
				idle = append(idle, fmt.Sprintf("g%dm%d", g.Number, number))
			}
		}
	}
	if idle == nil {
		return ""
	}
	return " Idle, without a message: " + strings.Join(idle, ", ") + "."
}
