package results

import (
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A Fault is one fault of a cell, what was done, and what became of the messages. Offsets
// count from the first due, as in the interval log.
type Fault struct {
	Plan plan.Fault `json:"plan"`

	Nodes    []string `json:"nodes,omitempty"`     // which it was for, by name
	BeganNS  int64    `json:"began_ns"`            // when it began
	BrokenNS int64    `json:"broken_ns"`           // when the node was broken for sure: the command returned; 0: it never was
	HealedNS *int64   `json:"healed_ns,omitempty"` // when what was broken had been mended: a restarted node answers; absent: it never was
	By       Means    `json:"by,omitempty"`        // what broke the network; "": the fault is none of the network
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
	// How consumers caught up that had fallen behind; absent of other faults.
	CatchUp *CatchUp `json:"catch_up,omitempty"`
}

// Means are what breaks the network of a node.
type Means string

// The means.
const (
	ByRelay      Means = "relay"      // between clients and the node
	ByNamespaces Means = "namespaces" // between the node and all others, nodes too
)

// Done tells whether the fault was made. One that was may never have been mended.
func (f Fault) Done() bool { return f.BrokenNS > 0 }

// Harm is what became of the messages from one fault on, until the next. All messages that
// are due in a cell count for one fault at most.
type Harm struct {
	// Messages that were due from FromNS until ToNS count. It is a little before the fault: by
	// the longest response before the first one, so that what was on its way then counts.
	FromNS int64 `json:"from_ns"`
	ToNS   int64 `json:"to_ns"`

	Acks       *Outage `json:"acks,omitempty"`       // absent of a system that does not acknowledge, or if no acknowledgement came before the first fault
	Deliveries *Outage `json:"deliveries,omitempty"` // absent if none came before the first fault

	WorstNS     int64  `json:"worst_ns"`               // the longest response of a message that was done
	BaseDue     int64  `json:"base_due"`               // messages of the window that were due before those that count for the first fault
	BaseDone    int64  `json:"base_done"`              // of these, those that are done
	BaseP99NS   *int64 `json:"base_p99_ns,omitempty"`  // p99 of the response before the first fault, in steps of 9 %; absent: of fewer than 100 messages
	RecoveredNS *int64 `json:"recovered_ns,omitempty"` // from the fault until p99 was back, in steps of StepNS; absent: not until the next fault or the end, or not known
	LaterP99NS  *int64 `json:"later_p99_ns,omitempty"` // p99 of those due in the last tenth of the time until the next fault or the end, a second at least; in steps of 9 %; absent: of fewer than 100 messages
	StepNS      int64  `json:"step_ns"`                // what RecoveredNS, Duplicates and OutOfOrder are rounded to

	Due    int64 `json:"due"`
	Done   int64 `json:"done"`
	Failed int64 `json:"failed"`
	Lost   int64 `json:"lost"`  // neither done nor failed: Due = Done + Failed + Lost
	Acked  int64 `json:"acked"` // 0 of a system that does not acknowledge

	// AckedLost were acknowledged, and are not in the store after healing. A message counts for
	// the first fault that was not healed when the message was due: a fault may lose what was
	// acknowledged long before it. Absent: nobody looked, or the store was not read to its end.
	AckedLost *int64 `json:"acked_lost,omitempty"`

	Duplicates int64 `json:"duplicates"`   // replies that came again, from this fault on until the next
	OutOfOrder int64 `json:"out_of_order"` // replies that came after one that was sent later on their connection, likewise
}

// An Outage is the longest time from a fault on in which nothing came: on one connection, or
// on all. What is not beyond the usual is none: Shown is false then, and ForNS is how long it
// can have been at most.
type Outage struct {
	Shown bool  `json:"shown"`  // it is more than five times UsualNS, and three messages or more were due in it
	ForNS int64 `json:"for_ns"` // from the fault, or the last that came after it, to the first that came then; if none did, to the last due: it was at least so long

	LastNS  int64  `json:"last_ns"`            // the last that came before it: may be before the fault
	FirstNS *int64 `json:"first_ns,omitempty"` // the first that came after it, maybe after the next fault; absent: none did

	Connections int   `json:"connections"` // on how many it is shown
	WholeNS     int64 `json:"whole_ns"`    // for how long nothing came on any of them, counted in the same way
	Due         int64 `json:"due"`         // messages due in it, on each connection in its own; 0 if it is not shown
	UsualNS     int64 `json:"usual_ns"`    // the longest time in which nothing came before the first fault
}

// For returns how long the outage was, or can have been at most if it is not shown.
func (o Outage) For() time.Duration { return time.Duration(o.ForNS) }

// Over tells whether the outage ended.
func (o Outage) Over() bool { return o.FirstNS != nil }

// Outage returns the longer of the outages of acknowledgements and deliveries; nil if neither
// is known.
func (h *Harm) Outage() *Outage {
	if h == nil {
		return nil
	}
	return Worse(h.Acks, h.Deliveries)
}

// Worse returns the worse of two outages, each of which may be nil: one that is not over is
// worse than any other, and one that is shown than any that is not.
func Worse(a, b *Outage) *Outage {
	if b == nil || a != nil && a.worse(*b) {
		return a
	}
	return b
}

func (o Outage) worse(other Outage) bool {
	switch {
	case o.Shown != other.Shown:
		return o.Shown
	case o.Shown && o.Over() != other.Over():
		return !o.Over()
	}
	return o.ForNS > other.ForNS
}

// A CatchUp is how consumers that had read nothing for a while came back to what is live.
type CatchUp struct {
	Behind      int64  `json:"behind"`         // messages due until they went on that had not come by then, and had not failed
	Undelivered int64  `json:"undelivered"`    // of these, how many never came
	Queued      int64  `json:"queued"`         // of these, how many waited in this client at first, since no more may be in flight
	DrainedNS   *int64 `json:"drained_ns"`     // from when they went on until the last of these came; null: none did
	Age         *Times `json:"age,omitempty"`  // response of the messages that were due while they read nothing
	Live        *Times `json:"live,omitempty"` // response of those that were due while they caught up
}

// Times are percentiles in steps of 9 %, rounded up, and the exact maximum, of so many messages.
type Times struct {
	Count int64 `json:"count"`
	P50NS int64 `json:"p50_ns"`
	P99NS int64 `json:"p99_ns"`
	MaxNS int64 `json:"max_ns"`
}

// Name says which fault it is, and which nodes it was for, as in "kill leader (n2) at 10s", and
// what broke the network.
func (f Fault) Name() string {
	p := f.Plan
	if len(f.Nodes) > 0 && (len(f.Nodes) > 1 || f.Nodes[0] != p.Node) {
		p.Node += " (" + strings.Join(f.Nodes, ", ") + ")"
	}
	if f.By != "" {
		return p.String() + " by " + string(f.By)
	}
	return p.String()
}

// Affected returns how many messages of the fault's part of the cell it can have reached at
// most: those due in its outage, or until p99 was back, or those that never came, whichever are more.
func (h *Harm) Affected() int64 {
	if h == nil {
		return 0
	}
	n := h.Failed + h.Lost
	for _, o := range []*Outage{h.Acks, h.Deliveries} {
		if o != nil && o.Shown {
			n = max(n, o.Due)
		}
	}
	switch {
	case h.BaseP99NS == nil:
	case h.RecoveredNS == nil:
		n = h.Due
	case h.ToNS > h.FromNS:
		n = max(n, int64(float64(h.Due)*float64(*h.RecoveredNS)/float64(h.ToNS-h.FromNS)))
	}
	return min(n, h.Due)
}
