package plan

import "time"

// A Fault is a disturbance of the target while a cell is measured, and its time. Fields that do
// not apply to its kind are zero.
type Fault struct {
	At   time.Duration `json:"at_ns"`          // from the start of the measured window
	Do   FaultKind     `json:"do"`             // what happens
	Node string        `json:"node,omitempty"` // to which node: Leader, AnyFollower, AnyNode, AllNodes, or the name of a node, such as "2"
	For  time.Duration `json:"for_ns,omitempty"`

	Restart time.Duration `json:"restart_ns,omitempty"` // after Kill and Stop: when it starts again, from At; 0: at the end of the cell

	// Of Slow, each in both directions.
	Delay    time.Duration `json:"delay_ns,omitempty"`
	Jitter   time.Duration `json:"jitter_ns,omitempty"`    // at most, in either direction
	Loss     float64       `json:"loss,omitempty"`         // share of the segments that are lost and sent again, 0 to 1
	Throttle int64         `json:"throttle_b_s,omitempty"` // bytes per second; 0: no limit
	Command  []string      `json:"command,omitempty"`      // of Run: the program and its arguments
	Seed     uint64        `json:"seed,omitempty"`         // for the choice of a node and for Slow; the seed of the cell
}

// A FaultKind is the kind of a fault, such as kill.
type FaultKind string

// The kinds of faults.
const (
	Kill          FaultKind = "kill"        // SIGKILL: the process crashes, its written data stays in the page cache
	Stop          FaultKind = "stop"        // an orderly shutdown
	Pause         FaultKind = "pause"       // SIGSTOP for a while
	Cut           FaultKind = "cut"         // no bytes go to the node or come from it for a while
	HalfOpen      FaultKind = "half-open"   // bytes from clients arrive, those from the node do not, for a while
	Slow          FaultKind = "slow"        // the network to and from the node has a delay, a loss or a limit for a while
	FillDisk      FaultKind = "fill-disk"   // no space is left in the data folder of the node for a while
	Run           FaultKind = "run"         // a command of the user
	ConsumerPause FaultKind = "fall-behind" // the consumers read nothing for a while; written pause: consumers
)

// Values of Fault.Node other than the name of a node.
const (
	Leader      = "leader"       // the node that leads the queue, topic or stream of connection 0
	AnyFollower = "any-follower" // one that does not lead, drawn by the seed
	AnyNode     = "any"          // one, drawn by the seed
	AllNodes    = "all"
	Consumers   = "consumers" // those of brokerbench
)
