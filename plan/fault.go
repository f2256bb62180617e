package plan

import "time"

// A Fault is something that breaks while a cell is measured, and when. Only the fields of
// what it does count; the others are zero.
type Fault struct {
	At   time.Duration `json:"at_ns"`          // from the start of the measured window
	Do   Break         `json:"do"`             // what breaks
	Node string        `json:"node,omitempty"` // which: Leader, AnyFollower, AnyNode, AllNodes, or the name of a node, such as "2"
	For  time.Duration `json:"for_ns,omitempty"`

	Restart time.Duration `json:"restart_ns,omitempty"` // after Kill and Stop: when it starts again, from At; 0: at the end of the cell

	// Of Slow, each in both directions.
	Delay    time.Duration `json:"delay_ns,omitempty"`
	Jitter   time.Duration `json:"jitter_ns,omitempty"`    // up to so much more or less
	Loss     float64       `json:"loss,omitempty"`         // part of the segments that are lost and sent again, 0 to 1
	Throttle int64         `json:"throttle_b_s,omitempty"` // bytes per second; 0: as many as there are
	Command  []string      `json:"command,omitempty"`      // of Run: the program and its arguments
	Seed     uint64        `json:"seed,omitempty"`         // of the choice of a node and of Slow; that of the cell
}

// A Break is what a fault does.
type Break string

// What a fault does.
const (
	Kill     Break = "kill"        // SIGKILL: the process crashes, what it wrote stays in the page cache
	Stop     Break = "stop"        // in good order
	Pause    Break = "pause"       // SIGSTOP for a while
	Cut      Break = "cut"         // nothing goes to the node or comes from it for a while
	HalfOpen Break = "half-open"   // what clients send arrives, what the node says does not, for a while
	Slow     Break = "slow"        // the network to and from the node is slow, loses, or is narrow, for a while
	FillDisk Break = "fill-disk"   // no space is left where the node keeps its data, for a while
	Run      Break = "run"         // a command of the user's
	Fall     Break = "fall-behind" // the consumers read nothing for a while; written pause: consumers
)

// What a fault may be for besides a node's name.
const (
	Leader      = "leader"       // the node that leads what connection 0 uses
	AnyFollower = "any-follower" // one that does not lead, drawn by the seed
	AnyNode     = "any"          // one, drawn by the seed
	AllNodes    = "all"
	Consumers   = "consumers" // those of brokerbench itself
)
