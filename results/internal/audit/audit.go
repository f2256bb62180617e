// Package audit holds what was found in the store of a target.
package audit

import "fmt"

// An Audit compares the target's store, read to its end after the last message, with the
// acknowledgements. It counts all messages, including the warm-up: Acked = Delivered +
// Kept + Missing + Discarded.
type Audit struct {
	Acked   int64 `json:"acked"`   // messages that the target acknowledged
	Kept    int64 `json:"kept"`    // of these, those in the store
	Missing int64 `json:"missing"` // of these, those that are lost

	// Discarded counts acknowledged messages that are not there, and that come before the first messages that are
	// still there: the limit of the store (the target's option retention) may have discarded them, or they may
	// be lost, which is not decided.
	Discarded int64 `json:"discarded,omitempty"`

	// Taken says that consuming a message removes it from the store, as in a queue. Delivered
	// then counts the acknowledged messages that were delivered, and Kept the others.
	Taken     bool  `json:"taken,omitempty"`
	Delivered int64 `json:"delivered,omitempty"`

	First *MessageID  `json:"first,omitempty"` // missing message
	Last  *MessageID  `json:"last,omitempty"`
	Some  []MessageID `json:"some,omitempty"` // the first hundred that are missing

	Unacked    int64 `json:"unacked"`    // in the store and never acknowledged
	Duplicates int64 `json:"duplicates"` // in the store more than once; if Taken, also those in the store and delivered
	Read       int64 `json:"read"`       // messages of this cell that were read
	TookNS     int64 `json:"took_ns"`
	Gone       bool  `json:"gone,omitempty"` // the store itself no longer exists

	// Error says why the store was not read to its end, or why the fate of some acknowledged
	// messages is unknown; Missing then counts those, too. "" if everything is known.
	Error string `json:"error,omitempty"`
}

// A MessageID names a message of a cell.
type MessageID struct {
	Conn int    `json:"conn"` // its connection, counted from 0
	Seq  uint64 `json:"seq"`  // its position in that connection's schedule, warm-up included
}

// Undecided describes the messages that the limit of the store may have discarded.
func (a *Audit) Undecided() string {
	return fmt.Sprintf("%d of %d messages that were acknowledged come before the first that the store has: its limit may have discarded them; the other %d are in the store",
		a.Discarded, a.Acked, a.Kept)
}

// Loss describes the acknowledged messages that are lost.
func (a *Audit) Loss() string {
	switch {
	case a.Gone && a.Taken:
		return fmt.Sprintf("%d of %d messages that were acknowledged were not delivered, and are gone with the store itself", a.Missing, a.Acked)
	case a.Gone:
		return fmt.Sprintf("all %d messages that were acknowledged are gone, with the store itself", a.Acked)
	}
	where := "are not in the store"
	if a.Taken {
		where = "were neither delivered nor kept"
	}
	return fmt.Sprintf("%d of %d messages that were acknowledged %s: the first is message %d of connection %d, the last message %d of connection %d",
		a.Missing, a.Acked, where, a.First.Seq, a.First.Conn, a.Last.Seq, a.Last.Conn)
}
