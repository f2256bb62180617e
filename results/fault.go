package results

import "github.com/brokerbench/brokerbench/plan"

// A Fault is one fault of a cell, what was done, and what became of the messages. Offsets
// count from the first due, as in the interval log.
type Fault struct {
	Plan plan.Fault `json:"plan"`

	Nodes    []string `json:"nodes,omitempty"`     // which it was for, by name
	BeganNS  int64    `json:"began_ns"`            // when it began
	BrokenNS int64    `json:"broken_ns"`           // when the node was broken for sure: the command returned
	HealedNS *int64   `json:"healed_ns,omitempty"` // when what was broken had been mended: a restarted node answers; absent: it never was
	Error    string   `json:"error,omitempty"`     // why it could not be done, or mended

	LeaderBefore string `json:"leader_before,omitempty"`
	LeaderAfter  string `json:"leader_after,omitempty"` // the first that was another, or the last that was seen
	// LeaderNS is when another leader was seen first, RedundantNS when all copies were in
	// step again; absent: not seen, or the system does not tell.
	LeaderNS    *int64 `json:"leader_ns,omitempty"`
	RedundantNS *int64 `json:"redundant_ns,omitempty"`

	// What became of the messages from this fault on, until the next one or the end. Absent if
	// the fault could not be done.
	Harm *Harm `json:"harm,omitempty"`
}

// Harm is what became of the messages that were due from one fault on, until the next.
type Harm struct {
	FromNS int64 `json:"from_ns"` // of the messages that count, by due
	ToNS   int64 `json:"to_ns"`

	Acks       *Outage `json:"acks,omitempty"`       // absent of a system that does not acknowledge
	Deliveries *Outage `json:"deliveries,omitempty"` // absent if none came before

	WorstNS     int64  `json:"worst_ns"`               // the longest response of a message that was done
	BaseP99NS   *int64 `json:"base_p99_ns,omitempty"`  // p99 of the response before the fault; absent: too few messages
	RecoveredNS *int64 `json:"recovered_ns,omitempty"` // from the fault until p99 is back at what it was; absent: not until the next fault or the end

	Due        int64  `json:"due"`
	Failed     int64  `json:"failed"`
	Lost       int64  `json:"lost"` // neither done nor failed
	Acked      int64  `json:"acked"`
	AckedLost  *int64 `json:"acked_lost,omitempty"` // acknowledged and not in the store after healing; absent: nobody looked
	Duplicates int64  `json:"duplicates"`
	OutOfOrder int64  `json:"out_of_order"`
}

// An Outage is the longest time from a fault on in which nothing came.
type Outage struct {
	LastNS  int64  `json:"last_ns"`            // the last that came before it
	FirstNS *int64 `json:"first_ns,omitempty"` // the first that came after it; absent: none did
	Due     int64  `json:"due"`                // messages due in it
	UsualNS int64  `json:"usual_ns"`           // the longest time in which nothing came before the fault
}
