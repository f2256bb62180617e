package plan

import "time"

// A System says how a target is run.
type System struct {
	Nodes []Node `json:"nodes"`

	// Helpers are processes that the nodes need, such as a name server. They are started
	// before the nodes, and nothing breaks them.
	Helpers []Node `json:"helpers,omitempty"`
	// Formed is a command that succeeds when the nodes, each of which is ready, are a
	// cluster; it may take as long as the most patient node. None: they are one at once.
	Formed []string `json:"formed,omitempty"`
}

// A Node says how one process of a target is run, or which one it is: exactly one of
// Command, PID, Container, Unit and Pod is set.
type Node struct {
	Name    string `json:"name"`              // unique within the target; "1" and so on by default
	Address string `json:"address,omitempty"` // host and port at which clients reach it; "" of the only node: that of the target
	// Fronts are the proxies through which clients reach the node: from where each listens,
	// Address among them, to where the node does. Empty: the node listens at Address.
	Fronts  map[string]string `json:"fronts,omitempty"`
	Command []string          `json:"command,omitempty"` // starts it in the foreground, such as nats-server or docker run
	Dir     string            `json:"dir,omitempty"`     // where Command runs; "": where brokerbench does
	Data    string            `json:"data,omitempty"`    // folder in which it keeps its data
	Log     string            `json:"log,omitempty"`     // file that it logs to; "": what Command prints

	// Ready is a command that succeeds when the node is ready; without it a node is ready
	// that accepts connections at Address. ReadyIn is how long it may take; 0: a minute.
	Ready   []string      `json:"ready,omitempty"`
	ReadyIn time.Duration `json:"ready_in_ns,omitempty"`

	PID       int    `json:"pid,omitempty"`       // of a process that runs already
	Container string `json:"container,omitempty"` // as docker calls it
	Unit      string `json:"unit,omitempty"`      // as systemctl calls it
	Pod       string `json:"pod,omitempty"`       // as kubectl calls it, such as kafka-0 or namespace/kafka-0
}
