package results

import (
	"path/filepath"

	"github.com/brokerbench/brokerbench/results/internal/file"
	"github.com/brokerbench/brokerbench/results/internal/total"
)

// A NodeUsage is the usage of one node of the target in an interval of the log, or in the
// window. Unknown values are null.
type NodeUsage struct {
	Node      string `json:"node"`                  // its name
	Processes int64  `json:"processes" total:"max"` // at the end; in the window, the most; 0: it did not run, or runs on another machine

	CPUNS         *int64 `json:"cpu_ns"`                     // user and system
	ResidentBytes *int64 `json:"resident_bytes" total:"max"` // at the end; in the window, the most; shared memory counts for each process
	ReadBytes     *int64 `json:"read_bytes"`                 // from disks, not from the page cache
	WrittenBytes  *int64 `json:"written_bytes"`              // to files, whether or not they have reached the disk
}

// A NodeEnd is the end of a node's last process: one existed when an interval began, and none
// when it ended.
type NodeEnd struct {
	Node   string `json:"node"`
	FromNS int64  `json:"from_ns"` // offsets from the first due
	ToNS   int64  `json:"to_ns"`
	// During is the fault that affected the node then, such as a full disk; "" if none did.
	During string `json:"during,omitempty"`
}

// A NodeInterval is the usage of one node in one interval.
type NodeInterval struct {
	FromNS int64 `json:"from_ns"` // offsets from the first due
	ToNS   int64 `json:"to_ns"`
	NodeUsage
}

// Nodes is the content of nodes.json: the usage of the target's nodes in each interval of
// intervals.hlog, with the nodes of an interval one after the other.
type Nodes struct {
	Schema    string         `json:"schema"` // NodesSchema
	Intervals []NodeInterval `json:"intervals"`
}

// A NodesWriter writes nodes.json and nodes.csv, a node of an interval at a time.
type NodesWriter struct{ *file.RowWriter[NodeInterval] }

// CreateNodes creates both files. They get their names on Close.
func (f *CellFolder) CreateNodes() (*NodesWriter, error) {
	s, err := file.CreateRows[NodeInterval](f.dir, NodesFile, NodesTable, NodesSchema)
	return &NodesWriter{s}, err
}

// ReadNodes reads nodes.json. The error is fs.ErrNotExist for a cell whose nodes were
// unknown.
func (f *CellFolder) ReadNodes() ([]NodeInterval, error) {
	var n Nodes
	err := file.ReadJSON(filepath.Join(f.dir, NodesFile), &n, &n.Schema, NodesSchema, file.Rows())
	return n.Intervals, err
}

// AddNodes adds the usage of nodes in an interval to that before it, as [TotalUsage] adds.
// before may be empty.
func AddNodes(before, interval []NodeUsage) []NodeUsage {
	if len(before) != len(interval) {
		return append([]NodeUsage(nil), interval...)
	}
	sum := make([]NodeUsage, len(interval))
	for i, u := range interval {
		sum[i] = total.Of(before[i], u)
	}
	return sum
}

// A Cost is the usage of the nodes and of this process in the window, divided by the messages
// that were done. It includes usage that had nothing to do with messages. Unknown values are
// null.
type Cost struct {
	WindowNS int64 `json:"window_ns"` // how long the nodes were sampled
	Messages int64 `json:"messages"`  // done in it

	NodesCores    *float64 `json:"nodes_cores"`    // CPU seconds per second, of all nodes together
	NodesCPUNS    *float64 `json:"nodes_cpu_ns"`   // CPU time of all nodes, per message
	WrittenBytes  *float64 `json:"written_bytes"`  // by all nodes, per message
	ResidentBytes *int64   `json:"resident_bytes"` // the most that each node had, added up
	ClientCPUNS   *float64 `json:"client_cpu_ns"`  // CPU time of this process, per message
}

// NewCost returns the cost of the messages that were done in a window, in which this process
// used clientCores; nil if no message was done.
func NewCost(nodes []NodeUsage, windowNS, messages int64, clientCores *float64) *Cost {
	if messages <= 0 || windowNS <= 0 || len(nodes) == 0 {
		return nil
	}
	cpu, written, resident := new(int64), new(int64), new(int64)
	for _, n := range nodes {
		cpu, written, resident = plus(cpu, n.CPUNS), plus(written, n.WrittenBytes), plus(resident, n.ResidentBytes)
	}
	c := &Cost{WindowNS: windowNS, Messages: messages, ResidentBytes: resident}
	c.NodesCores, c.NodesCPUNS = over(cpu, windowNS), over(cpu, messages)
	c.WrittenBytes = over(written, messages)
	if clientCores != nil {
		c.ClientCPUNS = new(*clientCores * float64(windowNS) / float64(messages))
	}
	return c
}

// MeanCost returns the cost of a message over several windows. Each message counts once.
func MeanCost(costs []Cost) *Cost {
	var sum Cost
	for _, c := range costs {
		sum.WindowNS, sum.Messages = sum.WindowNS+c.WindowNS, sum.Messages+c.Messages
	}
	mean := func(of func(Cost) *float64, weight func(Cost) int64, all int64) *float64 {
		total := 0.0
		for _, c := range costs {
			v := of(c)
			if v == nil {
				return nil
			}
			total += *v * float64(weight(c))
		}
		return new(total / float64(max(1, all)))
	}
	messages, window := func(c Cost) int64 { return c.Messages }, func(c Cost) int64 { return c.WindowNS }
	sum.NodesCores = mean(func(c Cost) *float64 { return c.NodesCores }, window, sum.WindowNS)
	sum.NodesCPUNS = mean(func(c Cost) *float64 { return c.NodesCPUNS }, messages, sum.Messages)
	sum.WrittenBytes = mean(func(c Cost) *float64 { return c.WrittenBytes }, messages, sum.Messages)
	sum.ClientCPUNS = mean(func(c Cost) *float64 { return c.ClientCPUNS }, messages, sum.Messages)
	sum.ResidentBytes = new(int64)
	for _, c := range costs {
		sum.ResidentBytes = larger(sum.ResidentBytes, c.ResidentBytes)
	}
	return &sum
}

// over returns the quotient, unknown if the sum is.
func over(sum *int64, n int64) *float64 {
	if sum == nil {
		return nil
	}
	return new(float64(*sum) / float64(n))
}
