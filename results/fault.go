package results

import (
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A Fault is one fault of a cell, with its effect on the messages. Offsets count from the
// first due time, as in the interval log.
type Fault struct {
	Plan plan.Fault `json:"plan"`

	Nodes    []string `json:"nodes,omitempty"`     // the nodes that it affected, by name
	BeganNS  int64    `json:"began_ns"`            // when it began
	BrokenNS int64    `json:"broken_ns"`           // when it was surely in effect: the command returned; 0: never
	HealedNS *int64   `json:"healed_ns,omitempty"` // when it was healed: a restarted node answers; absent: never
	By       Means    `json:"by,omitempty"`        // how the network was broken; "" for other faults
	Error    string   `json:"error,omitempty"`     // why it could not be injected, or healed

	LeaderBefore string `json:"leader_before,omitempty"`
	LeaderAfter  string `json:"leader_after,omitempty"` // the first other leader, or the last one observed
	// LeaderNS is when another leader was first observed, RedundantNS when all replicas were in
	// sync again; absent: not observed, or the system does not report it.
	LeaderNS    *int64 `json:"leader_ns,omitempty"`
	RedundantNS *int64 `json:"redundant_ns,omitempty"`
	// LeaderlessNS is how long no leader was found, at the longest; absent: there always was one, or it ended with none.
	LeaderlessNS int64 `json:"leaderless_ns,omitempty"`

	// The effect on messages from this fault until the next one or the end. Absent if the fault
	// could not be injected.
	Impact *Impact `json:"harm,omitempty"`
	// How paused consumers caught up; absent for other faults.
	CatchUp *CatchUp `json:"catch_up,omitempty"`
}

// Means are ways to break the network of a node.
type Means string

// The means.
const (
	ByRelay      Means = "relay"      // between clients and the node
	ByNamespaces Means = "namespaces" // between the node and all others, including nodes
)

// Done reports whether the fault was injected. It may not have been healed.
func (f Fault) Done() bool { return f.BrokenNS > 0 }

// Impact is the effect of a fault on the messages until the next fault. Each due message of a
// cell counts for at most one fault.
type Impact struct {
	// Messages due from FromNS until ToNS count. FromNS lies before the fault by the longest
	// response before the first fault, so that messages in flight count.
	FromNS int64 `json:"from_ns"`
	ToNS   int64 `json:"to_ns"`

	Acks       *Outage `json:"acks,omitempty"`       // absent for a system without acknowledgements, or if none came before the first fault
	Deliveries *Outage `json:"deliveries,omitempty"` // absent if none came before the first fault

	WorstNS     int64  `json:"worst_ns"`               // the longest response of a message that was done
	BaseDue     int64  `json:"base_due"`               // messages of the window that were due before FromNS of the first fault
	BaseDone    int64  `json:"base_done"`              // of these, those done
	BaseP99NS   *int64 `json:"base_p99_ns,omitempty"`  // p99 of the response in the usual second before the fault, in steps of 9 %; absent: fewer than 100 messages
	RecoveredNS *int64 `json:"recovered_ns,omitempty"` // from the fault until p99 was back, in steps of StepNS; absent: not before the next fault or the end, or unknown
	// Disturbed says that something other than the fault made messages slow before it; absent: nothing did.
	Disturbed  *Disturbed `json:"disturbed,omitempty"`
	LaterP99NS *int64     `json:"later_p99_ns,omitempty"` // p99 of the messages due in the last tenth of the time until the next fault or the end, at least a second; in steps of 9 %; absent: fewer than 100 messages
	StepNS     int64      `json:"step_ns"`                // the resolution of RecoveredNS, Duplicates and OutOfOrder

	Due    int64 `json:"due"`
	Done   int64 `json:"done"`
	Failed int64 `json:"failed"`
	Lost   int64 `json:"lost"`  // neither done nor failed: Due = Done + Failed + Lost
	Acked  int64 `json:"acked"` // 0 for a system without acknowledgements

	// AckedLost counts acknowledged messages that are not in the store after healing, and that this
	// fault may have lost: those due before it was healed and before the next fault, however long
	// before it, as a fault may lose all that is stored. The last fault may have lost any.
	// AckedLostOneOf counts those of them that another fault may have lost as well. AckedLost is
	// absent if the store was not read to its end.
	AckedLost      *int64 `json:"acked_lost,omitempty"`
	AckedLostOneOf int64  `json:"acked_lost_one_of,omitempty"`

	Duplicates int64 `json:"duplicates"`   // repeated replies, from this fault until the next
	OutOfOrder int64 `json:"out_of_order"` // replies that came after that of a later message of their connection, likewise
}

// An Outage is the longest gap after a fault in which nothing arrived on some connection. A
// gap that is not longer than usual is not an outage: Shown is then false, and ForNS is an
// upper bound.
type Outage struct {
	// Unknown: nothing came after the fault until the next one or the end, and too few messages were due
	// in that time to show an outage.
	Unknown bool `json:"unknown,omitempty"`

	Shown bool  `json:"shown"`  // it exceeds ten times UsualNS, and at least three messages were due in it
	ForNS int64 `json:"for_ns"` // from the fault, or the last arrival after it, to the next arrival; without one, to the last due time, which is a lower bound

	LastNS  int64  `json:"last_ns"`            // the last arrival before it, perhaps before the fault
	FirstNS *int64 `json:"first_ns,omitempty"` // the first arrival after it, perhaps after the next fault; absent: none

	Connections int   `json:"connections"` // the number of connections that show it
	WholeNS     int64 `json:"whole_ns"`    // how long nothing arrived on any connection, counted in the same way
	Due         int64 `json:"due"`         // messages due in it, on each connection in its gap; 0 if it is not shown
	UsualNS     int64 `json:"usual_ns"`    // the longest gap before the first fault but three, and but the longer half if there are fewer than seven
}

// A Disturbed is p99 of all messages before a fault, if more than a hundredth of them took longer
// than allows p99 to be back.
type Disturbed struct {
	P99NS       int64  `json:"p99_ns"`
	RecoveredNS *int64 `json:"recovered_ns,omitempty"` // as of Impact, by this p99
}

// For returns the length of the outage, or its upper bound if it is not shown.
func (o Outage) For() time.Duration { return time.Duration(o.ForNS) }

// Over reports whether the outage ended.
func (o Outage) Over() bool { return o.FirstNS != nil }

// Outage returns the worse of the outages of acknowledgements and deliveries; nil if both are
// unknown.
func (h *Impact) Outage() *Outage {
	if h == nil {
		return nil
	}
	return Worse(h.Acks, h.Deliveries)
}

// Worse returns the worse of two outages, which may be nil: one that is not over is worse
// than any other, and one that is shown is worse than one that is not.
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

// A CatchUp describes how consumers caught up after a pause.
type CatchUp struct {
	Behind      int64  `json:"behind"`         // messages due before they resumed that had neither arrived nor failed by then
	Undelivered int64  `json:"undelivered"`    // of these, those that never arrived
	Queued      int64  `json:"queued"`         // of these, those that waited in this client for a free slot
	DrainedNS   *int64 `json:"drained_ns"`     // from when they resumed until the last of these arrived; null: none did
	Age         *Times `json:"age,omitempty"`  // response of the messages due during the pause
	Live        *Times `json:"live,omitempty"` // response of the messages due while they caught up
}

// Times are percentiles in steps of 9 %, rounded up, and the exact maximum.
type Times struct {
	Count int64 `json:"count"`
	P50NS int64 `json:"p50_ns"`
	P99NS int64 `json:"p99_ns"`
	MaxNS int64 `json:"max_ns"`
}

// Name names the fault, the nodes that it affected and the means, as in "kill leader (n2) at
// 10s".
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

// DueInOutage counts the messages due in the outage of acknowledgements or of deliveries, whichever are more.
func (h *Impact) DueInOutage() (n int64) {
	for _, o := range []*Outage{h.Acks, h.Deliveries} {
		if o != nil && o.Shown {
			n = max(n, o.Due)
		}
	}
	return n
}

// Affected returns an upper bound of the messages that the faults affected.
func (c *Cell) Affected() (n int64) {
	for _, f := range c.Faults {
		n += f.Impact.Affected()
	}
	return n
}

// Affected returns an upper bound of the messages that the fault affected: those due in its
// outage, or until p99 was back, or those that never came, whichever are more.
func (h *Impact) Affected() int64 {
	if h == nil {
		return 0
	}
	n := max(h.Failed+h.Lost, h.DueInOutage())
	switch {
	case h.BaseP99NS == nil:
	case h.RecoveredNS == nil:
		n = h.Due
	case h.ToNS > h.FromNS:
		n = max(n, int64(float64(h.Due)*float64(*h.RecoveredNS)/float64(h.ToNS-h.FromNS)))
	}
	return min(n, h.Due)
}
