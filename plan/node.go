package plan

import "time"

// A System says how a target is run.
type System struct {
	Nodes []Node `json:"nodes"`
}

// A Node says how one process of a target is run, or which one it is: exactly one of
// Command, PID, Container, Unit and Pod is set.
type Node struct {
	Name    string   `json:"name"`              // unique within the target; "1" and so on by default
	Address string   `json:"address,omitempty"` // host and port at which clients reach it; "" of the only node: that of the target
	Command []string `json:"command,omitempty"` // starts it in the foreground, such as nats-server or docker run
	Data    string   `json:"data,omitempty"`    // folder in which it keeps its data
	Log     string   `json:"log,omitempty"`     // file that it logs to; "": what Command prints

	// Ready is a command that succeeds when the node is ready; without it a node is ready
	// that accepts connections at Address. ReadyIn is how long it may take; 0: a minute.
	Ready   []string      `json:"ready,omitempty"`
	ReadyIn time.Duration `json:"ready_in_ns,omitempty"`

	PID       int    `json:"pid,omitempty"`       // of a process that runs already
	Container string `json:"container,omitempty"` // as docker calls it
	Unit      string `json:"unit,omitempty"`      // as systemctl calls it
	Pod       string `json:"pod,omitempty"`       // as kubectl calls it, such as kafka-0 or namespace/kafka-0
}
