package results

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A Cell is what was measured of one plan.Cell, with its verdict. It is the content
// of cell.json.
type Cell struct {
	Schema  string    `json:"schema"` // CellSchema
	ID      string    `json:"id"`     // the folder's name, unique in its run
	Plan    plan.Cell `json:"plan"`   // what was asked for; the URL without its password
	Broker  Broker    `json:"broker"` // what was measured
	Started time.Time `json:"started"`

	Measured []Setting `json:"measured,omitempty"` // what the client made of the messages, such as records in a batch; absent if it does not tell

	ElapsedNS   int64   `json:"elapsed_ns"`    // from the first due until the last message was settled or given up
	SpinNS      int64   `json:"spin_ns"`       // the sender's spin window
	UsableCores float64 `json:"usable_cores"`  // what this process could use, by CPU mask, CPU quota and GOMAXPROCS; 0: not known
	OfferedPerS float64 `json:"offered_per_s"` // messages due in the window, per second
	ReachedPerS float64 `json:"reached_per_s"` // messages done, per second of the window, or from the first done to the last if that is longer
	Interrupted bool    `json:"interrupted"`

	Ledger       Ledger    `json:"ledger"`        // of the measured window
	WarmupLedger Ledger    `json:"warmup_ledger"` // of the warm-up
	Strays       Strays    `json:"strays"`
	Failures     []Failure `json:"failures,omitempty"`
	Events       []Event   `json:"events,omitempty"`
	Left         []string  `json:"left,omitempty"` // what may be left on the target, such as "topic x"

	ShortLog *ShortLog `json:"short_log,omitempty"` // what intervals.hlog lacks; absent if it is whole

	Response  Distribution  `json:"response"`            // done − due: the headline
	Service   Distribution  `json:"service"`             // done − sent
	Lag       Distribution  `json:"lag"`                 // how late the generator itself was, of messages that had a free slot
	Held      Distribution  `json:"held"`                // how long the target's client held up the sender, of the same messages
	Corrected *Distribution `json:"corrected,omitempty"` // service back-filled; only with one message in flight

	// Published is the time until the client had written a message to the socket, − due; absent
	// of a client that does not tell. Messages that were due and never on the socket rank above
	// every value.
	Published *Distribution `json:"published,omitempty"`

	// Of messages that an echo sent back, if its clock is known: when it had them − due, and
	// done − that. Both are of messages that are done; the others rank above.
	Outward *Distribution `json:"outward,omitempty"`
	Back    *Distribution `json:"back,omitempty"`
	Echo    *Echo         `json:"echo,omitempty"` // who sent them back; absent if the target itself did

	// Of a system that acknowledges; absent of one that does not. Messages that were due and
	// are not acknowledged, or not complete, rank above every value.
	Ack      *Distribution `json:"ack,omitempty"`      // acknowledged − due
	Complete *Distribution `json:"complete,omitempty"` // the later of acknowledged and done, − due
	Promises *Promises     `json:"promises,omitempty"` // what was acknowledged, and whether it came back

	Audit *Audit `json:"audit,omitempty"` // what the target has kept; absent if it keeps nothing, or nobody looked

	// HeldByOthers is the part of all time in Held, 0 to 1, for which the sender was
	// held up on other connections than the message's own.
	HeldByOthers float64 `json:"held_by_others"`
	// SenderCores is how many cores the threads that send used while messages were due;
	// 0 if the system does not tell.
	SenderCores float64 `json:"sender_cores"`

	Faults []Fault `json:"faults,omitempty"` // what broke, in the order of the plan

	Nodes []NodeUsage `json:"nodes,omitempty"` // what the target's nodes used over the window; absent if they are not known
	// EndedNodes are the nodes that ended and that no fault of the plan had ended, a hundred at most.
	EndedNodes []NodeEnd `json:"ended_nodes,omitempty"`

	Cost *Cost `json:"cost,omitempty"` // what a message cost; absent if the nodes are not known, or none was done

	Floor  *Floor        `json:"floor,omitempty"`  // what the tool and the kernel cost alone; absent with --floor=off
	Hiccup *Distribution `json:"hiccup,omitempty"` // how long this process was runnable but not scheduled; absent if not observed
	Usage  *Usage        `json:"usage,omitempty"`  // of process and machine over the window; absent if not observed
	Tail   *Tail         `json:"tail,omitempty"`   // whether hiccups explain the worst; absent if not observed

	Pauses *Pauses `json:"pauses,omitempty"` // how often the target stood still; absent if it is not known
	Steady *Steady `json:"steady,omitempty"` // whether response times rose or fell; absent in a short window

	Verdict  Verdict   `json:"verdict"`
	Problems []Problem `json:"problems,omitempty"` // why, the gravest first
	SLOs     []SLO     `json:"slos,omitempty"`     // what became of the plan's objectives

	NotJudged []Unjudged `json:"not_judged,omitempty"` // the problems that could not be looked for

	Agents      []Agent       `json:"agents,omitempty"`       // the machines that measured it together; absent if one did
	AgentSpread []AgentsApart `json:"agent_spread,omitempty"` // how far they are apart, at p50 and p99; absent of fewer than two that know theirs
}

// A ShortLog says that lines of intervals.hlog could not be written. Everything else
// of a cell counts all messages.
type ShortLog struct {
	Lines   int64  `json:"lines"`    // in the log
	LeftOut int64  `json:"left_out"` // not in the log
	Cause   string `json:"cause"`    // the first error, such as a disk that was full
}

// A Floor is the same shape, measured right before the cell against systems that only
// answer: no broker can be faster.
type Floor struct {
	Noop FloorRun `json:"noop"` // in this process, without a socket: the tool
	Echo FloorRun `json:"echo"` // a TCP echo in another process: the tool and the kernel
}

// A FloorRun is one of a floor's measurements.
type FloorRun struct {
	OfferedPerS float64      `json:"offered_per_s"`
	ReachedPerS float64      `json:"reached_per_s"`
	Response    Distribution `json:"response"`
}

// A Tail says whether the worst response times came when this process was not
// scheduled. Intervals counts those that hold a response of at least the threshold.
// WithHiccup counts those of them in which there was a hiccup of at least half the
// interval's longest response. Of the ordinary intervals, which hold no such response, OrdinaryWithHiccup counts those with a hiccup of at least
// half the threshold: what happens in them as often explains nothing.
type Tail struct {
	ThresholdNS        int64 `json:"threshold_ns"` // which a tenth of the intervals reach, and ten at least
	Intervals          int   `json:"intervals"`
	WithHiccup         int   `json:"with_hiccup"`
	Ordinary           int   `json:"ordinary"`
	OrdinaryWithHiccup int   `json:"ordinary_with_hiccup"`
	LargestHiccupNS    int64 `json:"largest_hiccup_ns"` // in the window
}

// A Broker says what was measured, and with which client.
type Broker struct {
	Product  string    `json:"product"`
	Version  string    `json:"version"` // as the broker itself reports it
	Client   string    `json:"client"`  // module and version
	Settings []Setting `json:"settings,omitempty"`
	// Durability is what an acknowledged message survives; nil if that is not known.
	Durability *requester.Backing `json:"durability,omitempty"`
}

// A Setting is a setting of the client, or what it measured.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// These say what became of the messages, as the engine counts it.
type (
	// A Ledger accounts for every message that was due.
	Ledger = load.Ledger
	// Promises accounts for what was acknowledged.
	Promises = load.Promises
	// Strays counts replies that belong to no message.
	Strays = load.Strays
	// A Failure is one cause for which messages failed.
	Failure = load.Failure
)

// An Event is something that happened to a connection, such as a disconnect.
type Event struct {
	AtNS int64  `json:"at_ns"` // from the first due
	Text string `json:"text"`
}
