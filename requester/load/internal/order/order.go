// Package order knows which messages came back before earlier ones that have an order with them.
package order

import "github.com/brokerbench/brokerbench/plan/schedule"

// An Order has one above the highest sequence that came back, by lane and key. It is not safe for concurrent
// use.
type Order struct {
	deal    *schedule.Deal // of keys; nil: messages have none
	highest []uint64
	none    uint64
}

// New returns an order of so many lanes, each of which has all keys.
func New(lanes int, deal *schedule.Deal) *Order {
	return &Order{deal: deal, highest: make([]uint64, lanes*max(deal.Len(), 1))}
}

// At returns the place of a message. A message without a key among others that have one has no order: its
// place is 0.
func (o *Order) At(lane int, conn uint32, seq uint64) *uint64 {
	if o.deal == nil {
		return &o.highest[lane]
	}
	key := o.deal.Key(conn, seq)
	if key < 0 {
		o.none = 0
		return &o.none
	}
	return &o.highest[lane*o.deal.Len()+key]
}
