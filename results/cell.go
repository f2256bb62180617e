package results

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A Cell is what was measured of one plan.Cell, and what to think of it. It is
// the content of cell.json.
type Cell struct {
	Schema  string    `json:"schema"` // CellSchema
	ID      string    `json:"id"`     // the folder's name, unique in its run
	Plan    plan.Cell `json:"plan"`   // what was asked; the URL without its password
	Broker  Broker    `json:"broker"` // what was measured
	Started time.Time `json:"started"`

	ElapsedNS   int64   `json:"elapsed_ns"`    // from the first due until the last op was settled or given up
	SpinNS      int64   `json:"spin_ns"`       // the sender's spin window that was in force
	OfferedPerS float64 `json:"offered_per_s"` // ops due in the window, per second
	ReachedPerS float64 `json:"reached_per_s"` // ops done, per second of the window, or from the first done to the last if that is longer
	Interrupted bool    `json:"interrupted"`

	Ledger       Ledger    `json:"ledger"`        // of the measured window
	WarmupLedger Ledger    `json:"warmup_ledger"` // of the warm-up
	Strays       Strays    `json:"strays"`
	Failures     []Failure `json:"failures,omitempty"`
	Events       []Event   `json:"events,omitempty"`

	Response  Distribution  `json:"response"`            // done − due: the headline
	Service   Distribution  `json:"service"`             // done − sent
	Lag       Distribution  `json:"lag"`                 // sent − due, of ops that had a free slot
	Corrected *Distribution `json:"corrected,omitempty"` // service back-filled; only with one op in flight

	Floor  *Floor        `json:"floor,omitempty"`  // what the tool and the kernel cost alone; absent with --floor=off
	Hiccup *Distribution `json:"hiccup,omitempty"` // how long this process did not run although it wanted to; absent if not watched
	Usage  *Usage        `json:"usage,omitempty"`  // of process and machine over the window; absent if not watched
	Tail   *Tail         `json:"tail,omitempty"`   // whether hiccups explain the worst; absent if not watched

	Verdict  Verdict   `json:"verdict"`
	Problems []Problem `json:"problems,omitempty"` // why, the gravest first
	SLOs     []SLO     `json:"slos,omitempty"`     // what became of the plan's objectives
}

// A Floor is the same shape, measured for a second against systems that do
// nothing but answer: below it no broker can be.
type Floor struct {
	Noop FloorRun `json:"noop"` // in this process, without a socket: the tool
	Echo FloorRun `json:"echo"` // a TCP echo in another process: the tool and the kernel
}

// A FloorRun is one of a floor's measurements.
type FloorRun struct {
	ReachedPerS float64      `json:"reached_per_s"`
	Response    Distribution `json:"response"`
}

// A Tail says whether the worst response times came when this process was kept
// from running: of the intervals of the log that hold a response of the threshold
// or above, how many also held a hiccup, in the same or the interval before, of
// at least half of the interval's longest response.
type Tail struct {
	ThresholdNS     int64 `json:"threshold_ns"` // p99.9, or the highest percentile that can be relied on
	Intervals       int   `json:"intervals"`
	WithHiccup      int   `json:"with_hiccup"`
	LargestHiccupNS int64 `json:"largest_hiccup_ns"` // in the window
}

// A Broker says what was measured and through what.
type Broker struct {
	Product  string    `json:"product"`
	Version  string    `json:"version"` // as the broker itself reports it
	Client   string    `json:"client"`  // module and version
	Settings []Setting `json:"settings,omitempty"`
}

// A Setting is a client setting that was in force.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// What became of the messages, as the engine counts it.
type (
	Ledger  = load.Ledger
	Strays  = load.Strays
	Failure = load.Failure
)

// An Event is something that a connection noticed beside its requests.
type Event struct {
	AtNS int64  `json:"at_ns"` // from the first due
	Text string `json:"text"`
}
