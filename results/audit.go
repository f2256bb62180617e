package results

import "fmt"

// An Audit says what the target's store held after the last message, read from its
// beginning over a connection of its own. It counts all messages, those of the warm-up
// too: Acked = Delivered + Kept + Missing.
type Audit struct {
	Acked   int64 `json:"acked"`   // messages that the target acknowledged
	Kept    int64 `json:"kept"`    // of these, the ones in the store
	Missing int64 `json:"missing"` // of these, the ones that are not: promised, and lost

	// Taken says that consumers take out of the store what is delivered to them, as out of a
	// queue. Delivered are then the acknowledged messages that were; Kept are others.
	Taken     bool  `json:"taken,omitempty"`
	Delivered int64 `json:"delivered,omitempty"`

	First *MessageID  `json:"first,omitempty"` // that is missing
	Last  *MessageID  `json:"last,omitempty"`
	Some  []MessageID `json:"some,omitempty"` // the first hundred that are missing

	Unacked    int64 `json:"unacked"`    // in the store and never acknowledged, which nobody promised and nobody minds
	Duplicates int64 `json:"duplicates"` // in the store more than once; or once more after they were delivered, if Taken
	Read       int64 `json:"read"`       // messages of this cell that were read
	TookNS     int64 `json:"took_ns"`
	Gone       bool  `json:"gone,omitempty"` // the system said that the store itself is there no more

	// Error says why the store was not read to its end, or why it is not decided what became
	// of all that was acknowledged; "" if neither. Missing then counts what was not read, or
	// is not decided, too.
	Error string `json:"error,omitempty"`
}

// A MessageID names a message of a cell.
type MessageID struct {
	Conn int    `json:"conn"` // its connection, counted from 0
	Seq  uint64 `json:"seq"`  // its position in that connection's schedule, warm-up included
}

// keeps says whether all that was acknowledged is in the store.
func (a *Audit) keeps() (Outcome, string) {
	switch {
	case a == nil:
		return Inconclusive, "nobody read back what the target has kept"
	case a.Error != "":
		return Inconclusive, "what the target has kept is not known: " + a.Error
	case a.Missing > 0:
		return Missed, a.Loss()
	case a.Acked == 0:
		return Inconclusive, "nothing was acknowledged"
	}
	return Passed, fmt.Sprintf("all %d that were acknowledged %s", a.Acked, a.where())
}

// where says where all that was acknowledged is.
func (a *Audit) where() string {
	switch {
	case !a.Taken:
		return "are in the store"
	case a.Kept == 0:
		return "were delivered"
	}
	return fmt.Sprintf("were delivered or kept: %d are in the store", a.Kept)
}

// Loss says what was acknowledged and is lost.
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
