package results

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results/internal/audit"
	"github.com/brokerbench/brokerbench/results/internal/deliveries"
	"github.com/brokerbench/brokerbench/results/internal/tail"
)

// A Cell is the result of measuring one plan.Cell, with its verdict. It is the content of
// cell.json.
type Cell struct {
	Schema  string    `json:"schema"` // CellSchema
	ID      string    `json:"id"`     // the folder's name, unique in its run
	Plan    plan.Cell `json:"plan"`   // as planned; the URL without its password
	Broker  Broker    `json:"broker"` // what was measured
	Started time.Time `json:"started"`

	Measured []Setting `json:"measured,omitempty"` // what the client reports about its messages, such as records in a batch; absent if it reports nothing

	ElapsedNS   int64   `json:"elapsed_ns"`    // from the first due time until the last message was settled or given up
	SpinNS      int64   `json:"spin_ns"`       // the sender's spin window
	UsableCores float64 `json:"usable_cores"`  // the cores that this process may use, by CPU mask, CPU quota and GOMAXPROCS; 0: unknown
	OfferedPerS float64 `json:"offered_per_s"` // messages due in the window, per second
	ReachedPerS float64 `json:"reached_per_s"` // messages done per second: no less than in time, and no single late reply lowers it
	Interrupted bool    `json:"interrupted"`

	Ledger       Ledger `json:"ledger"`        // of the measured window
	WarmupLedger Ledger `json:"warmup_ledger"` // of the warm-up
	Strays       Strays `json:"strays"`

	Users []User `json:"users,omitempty"` // by kind; absent without

	// Sizes has the messages of each of several sizes, the smallest first; absent for one size.
	Sizes  []SizeResult `json:"sizes,omitempty"`
	OfSize int          `json:"-"` // of a cell that [Cell.BySize] returns: which size, from 1
	Whole  *Cell        `json:"-"` // of the same: the cell of all sizes

	Failures []Failure `json:"failures,omitempty"`
	Events   []Event   `json:"events,omitempty"`
	Left     []string  `json:"left,omitempty"` // leftovers on the target, such as "topic x"

	ShortLog *ShortLog `json:"short_log,omitempty"` // absent if intervals.hlog is complete

	Response  Distribution  `json:"response"`            // done − due: the headline
	Service   Distribution  `json:"service"`             // done − sent
	Lag       Distribution  `json:"lag"`                 // how late the generator itself was, for messages that had a free slot
	Held      Distribution  `json:"held"`                // how long the target's client held up the sender, for the same messages
	Corrected *Distribution `json:"corrected,omitempty"` // service back-filled; only with one message in flight

	// Published is the time from due until the client had written a message to the socket; absent if
	// the client does not report it. Messages that were never written rank above every value.
	Published *Distribution `json:"published,omitempty"`

	// Only with groups of consumers; Response is that of the last group. First is the time from due until
	// the first group had the message, and Each has one value for each group. Deliveries that are
	// missing rank above every value.
	First   *Distribution `json:"first,omitempty"`
	Each    *Distribution `json:"each,omitempty"`
	Groups  []Group       `json:"groups,omitempty"`
	Backlog *Backlog      `json:"backlog,omitempty"` // apart from all other numbers; absent without one

	StoreFill *StoreFill `json:"store_fill,omitempty"` // how the store was filled before; absent without until-store

	Partitions []Partition `json:"partitions,omitempty"` // only of messages with keys, where they have partitions

	// The two halves of the way of messages that an echo sent back, if its clock is known: from
	// due until the echo had the message, and from then until done. Both are of messages that
	// are done; the others rank above.
	Outward *Distribution `json:"outward,omitempty"`
	Back    *Distribution `json:"back,omitempty"`
	Echo    *Echo         `json:"echo,omitempty"` // the echo; absent if the target itself sent the messages back

	// Only of systems that acknowledge. Due messages that are not acknowledged, or not
	// complete, rank above every value.
	Ack       *Distribution `json:"ack,omitempty"`      // acknowledged − due
	Complete  *Distribution `json:"complete,omitempty"` // the later of acknowledged and done, − due
	AckLedger *AckLedger    `json:"promises,omitempty"` // acknowledged messages, and whether they came back

	Audit *Audit `json:"audit,omitempty"` // the content of the target's store; absent if it has none, or was not read

	// HeldByOthers is the share of all time in Held, 0 to 1, for which the sender was held up
	// on other connections than that of the message.
	HeldByOthers float64 `json:"held_by_others"`
	// SenderCores is how many cores the sending threads used while messages were due; 0:
	// unknown.
	SenderCores float64 `json:"sender_cores"`

	Faults []Fault `json:"faults,omitempty"` // in the order of the plan

	Nodes []NodeUsage `json:"nodes,omitempty"` // the usage of the target's nodes over the window; absent if unknown
	// EndedNodes are nodes that ended without a fault of the plan, a hundred at most.
	EndedNodes []NodeEnd `json:"ended_nodes,omitempty"`

	Cost *Cost `json:"cost,omitempty"` // the cost per message; absent if the nodes are unknown, or no message was done

	Disks []Disk `json:"disks,omitempty"` // below the data folders of the target's nodes; absent if these are unknown, or on other machines

	Floor  *Floor        `json:"floor,omitempty"`  // the cost of the tool and the kernel alone; absent with --floor=off
	Hiccup *Distribution `json:"hiccup,omitempty"` // how long this process was runnable but not scheduled; absent if not observed
	Usage  *Usage        `json:"usage,omitempty"`  // of process and machine over the window; absent if not observed
	Tail   *Tail         `json:"tail,omitempty"`   // whether hiccups explain the worst responses; absent if not observed

	Pauses *Pauses       `json:"pauses,omitempty"` // how often the target paused; absent if unknown
	Steady *Steady       `json:"steady,omitempty"` // whether response times rose or fell; absent in a short window
	Causes *cause.Causes `json:"causes,omitempty"` // of the worst messages; absent if they were not sampled

	Verdict  Verdict   `json:"verdict"`
	Problems []Problem `json:"problems,omitempty"` // the gravest first
	SLOs     []SLO     `json:"slos,omitempty"`     // the outcomes of the plan's objectives

	NotJudged []NotJudged `json:"not_judged,omitempty"` // the problems that could not be checked

	Sections []*Cell `json:"sections,omitempty"` // at a rate that changes, of the window: percentiles are theirs; without what this cell has for all

	Agents      []Agent       `json:"agents,omitempty"`       // the machines that measured it together; absent for a single one
	AgentSpread []AgentsApart `json:"agent_spread,omitempty"` // the ranges of p50 and p99; absent if fewer than two agents know them
}

// DueFor returns how long messages were due in the window, by their number and rate; OfferedPerS
// must not be 0. It is less than the window of an interrupted cell.
func (c *Cell) DueFor() time.Duration {
	return time.Duration(float64(c.Ledger.Due) / c.OfferedPerS * float64(time.Second))
}

// A ShortLog counts lines of intervals.hlog that could not be written. Everything else of
// a cell counts all messages.
type ShortLog struct {
	Lines   int64  `json:"lines"`    // in the log
	LeftOut int64  `json:"left_out"` // not in the log
	Cause   string `json:"cause"`    // the first error, such as a disk that was full
}

// A Floor is the same shape, measured right before the cell against systems that only
// reply: no broker can be faster.
type Floor struct {
	Noop FloorRun `json:"noop"` // in this process, without a socket: the tool
	Echo FloorRun `json:"echo"` // a TCP echo in another process: the tool and the kernel
	// Pipe is true if Echo is an adapter that only sends back, of a target that is an adapter.
	Pipe bool `json:"pipe,omitempty"`
}

// What names the echo.
func (f *Floor) What() string {
	if f.Pipe {
		return "an adapter that only sends back"
	}
	return "a TCP echo"
}

// A FloorRun is one of a floor's measurements.
type FloorRun struct {
	OfferedPerS float64      `json:"offered_per_s"`
	ReachedPerS float64      `json:"reached_per_s"`
	Response    Distribution `json:"response"`
}

// A Broker describes the target that was measured, and the client.
type Broker struct {
	Product  string    `json:"product"`
	Version  string    `json:"version"` // as the broker itself reports it
	Client   string    `json:"client"`  // module and version
	Settings []Setting `json:"settings,omitempty"`
	// Timers are the broker's settings that decide how soon it notices that a node is gone; none if it does
	// not report them.
	Timers []Setting `json:"timers,omitempty"`
	// Durability is the level of durability of an acknowledged message; nil: unknown.
	Durability *requester.Backing `json:"durability,omitempty"`
	// Kernel is the release of the kernel below the broker's nodes; of several kernels, all. Nil: unknown, as of
	// a broker on another machine whose nodes are unknown.
	Kernel *string `json:"kernel"`
}

// A Setting is a setting of the client, or a number that it reports.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// These account for the messages, as the engine counts them, and for disturbances.
type (
	// A Ledger accounts for every message that was due.
	Ledger = load.Ledger
	// AckLedger accounts for acknowledged messages.
	AckLedger = load.AckLedger
	// Strays counts replies that belong to no message.
	Strays = load.Strays
	// A Tail says whether the worst response times came when this process was not scheduled.
	Tail = tail.Tail
	// A Group is what one group of consumers received.
	Group = deliveries.Group
	// A Backlog is what became of messages that were stored while consumers were away.
	Backlog = deliveries.Backlog
	// A StoreFill is how the store of a target was filled.
	StoreFill = deliveries.StoreFill
	// A StoreState is what a target says that it stores.
	StoreState = deliveries.StoreState
	// A FillEnd says why the filling of a store ended.
	FillEnd = deliveries.FillEnd
	// A BacklogGroup is the ledger of a group.
	BacklogGroup = deliveries.BacklogGroup
	// A BacklogPhase has the times of the messages that are due in a part of the schedule.
	BacklogPhase = deliveries.BacklogPhase
	// A BacklogTimes has some percentiles.
	BacklogTimes = deliveries.BacklogTimes
	// An Audit compares the target's store with the acknowledgements.
	Audit = audit.Audit
	// A MessageID names a message of a cell.
	MessageID = audit.MessageID
	// A Partition is what came from one partition of each topic.
	Partition = deliveries.Partition
	// A Failure is one cause for which messages failed.
	Failure = load.Failure
)

// The ends of a [StoreFill].
const (
	FillBytes       = deliveries.FillBytes
	FillDiscards    = deliveries.FillDiscards
	FillInterrupted = deliveries.FillInterrupted
)

// Idle names the members of groups that received nothing; "" if there are none.
func Idle(groups []Group) string { return deliveries.Idle(groups) }

// Extremes describes the partitions with the most and the fewest messages; "" if there are none.
func Extremes(list []Partition) string { return deliveries.Extremes(list) }

// An Event is something that happened to a connection, such as a disconnect.
type Event struct {
	AtNS int64  `json:"at_ns"` // from the first due
	Text string `json:"text"`
}

// Whole returns the elements of cells that were not interrupted, or the whole list if all
// were: numbers of a part of a window are not comparable with those of whole windows.
func Whole[T any](list []T, cell func(T) *Cell) []T {
	interrupted := func(one T) bool { return cell(one).Interrupted }
	if whole := slices.DeleteFunc(slices.Clone(list), interrupted); len(whole) > 0 {
		return whole
	}
	return slices.Clone(list)
}
