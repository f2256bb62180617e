package results

import "path/filepath"

// A NodeUsage is what one node of the target did in one interval of the log, or in the
// window. What is not to be seen is null.
type NodeUsage struct {
	Node      string `json:"node"`      // its name
	Processes int64  `json:"processes"` // at the end, in the window the most; 0: it did not run, or is on another machine

	CPUNS         *int64 `json:"cpu_ns"`         // user and system
	ResidentBytes *int64 `json:"resident_bytes"` // at the end, in the window the most; what processes share counts for each
	ReadBytes     *int64 `json:"read_bytes"`     // from disks, not from the page cache
	WrittenBytes  *int64 `json:"written_bytes"`  // to files, whether they are on the disk yet or not

	// What its TCP connections carried that were open at the end of an interval, without
	// headers and what was sent again: to clients, to other nodes, and to itself.
	SentBytes     *int64 `json:"sent_bytes"`
	ReceivedBytes *int64 `json:"received_bytes"`
}

// A NodeEnd is that the last process of a node ended: one was there when an interval began, and
// none when it ended.
type NodeEnd struct {
	Node   string `json:"node"`
	FromNS int64  `json:"from_ns"` // offsets from the first due
	ToNS   int64  `json:"to_ns"`
	// During is the fault that had this node then, such as a full disk; "": none had.
	During string `json:"during,omitempty"`
}

// A NodeInterval is what one node did in one interval.
type NodeInterval struct {
	FromNS int64 `json:"from_ns"` // offsets from the first due
	ToNS   int64 `json:"to_ns"`
	NodeUsage
}

// Nodes is the content of nodes.json: what the nodes of the target did in each interval of
// the cell, the nodes of an interval one after the other. The intervals are those of
// intervals.hlog.
type Nodes struct {
	Schema    string         `json:"schema"` // NodesSchema
	Intervals []NodeInterval `json:"intervals"`
}

// A NodesWriter writes nodes.json and nodes.csv, a node of an interval at a time.
type NodesWriter struct{ *series[NodeInterval] }

// CreateNodes begins both files. They have their names after Close.
func (f *CellFolder) CreateNodes() (*NodesWriter, error) {
	s, err := createSeries[NodeInterval](f.dir, NodesFile, NodesTable, NodesSchema)
	return &NodesWriter{s}, err
}

// ReadNodes reads nodes.json. A cell whose nodes nobody knew has none: the error is then
// fs.ErrNotExist.
func (f *CellFolder) ReadNodes() ([]NodeInterval, error) {
	var n Nodes
	err := readJSON(filepath.Join(f.dir, NodesFile), &n, &n.Schema, NodesSchema, mostResources)
	return n.Intervals, err
}

// AddNodes adds what nodes did in an interval to what they did before it. Counts are added;
// of what is read at the end of an interval, the most counts. What is unknown in one of them
// is unknown in the sum. before may be empty.
func AddNodes(before, interval []NodeUsage) []NodeUsage {
	if len(before) != len(interval) {
		return append([]NodeUsage(nil), interval...)
	}
	sum := make([]NodeUsage, len(interval))
	for i, u := range interval {
		b := before[i]
		sum[i] = NodeUsage{
			Node: u.Node, Processes: max(b.Processes, u.Processes),
			CPUNS: plus(b.CPUNS, u.CPUNS), ResidentBytes: larger(b.ResidentBytes, u.ResidentBytes),
			ReadBytes: plus(b.ReadBytes, u.ReadBytes), WrittenBytes: plus(b.WrittenBytes, u.WrittenBytes),
			SentBytes: plus(b.SentBytes, u.SentBytes), ReceivedBytes: plus(b.ReceivedBytes, u.ReceivedBytes),
		}
	}
	return sum
}

// A Cost is what the messages of the window cost: everything that the nodes and this process
// did in it, also what had nothing to do with messages, for each message that was done. What
// is not known is null.
type Cost struct {
	WindowNS int64 `json:"window_ns"` // how long was watched
	Messages int64 `json:"messages"`  // that were done in it

	NodesCores    *float64 `json:"nodes_cores"`    // CPU seconds per second, of all nodes together
	NodesCPUNS    *float64 `json:"nodes_cpu_ns"`   // CPU time of all nodes, per message
	WrittenBytes  *float64 `json:"written_bytes"`  // by all nodes, per message
	SentBytes     *float64 `json:"sent_bytes"`     // over TCP, by all nodes, per message
	ResidentBytes *int64   `json:"resident_bytes"` // the most that each node had, added up
	ClientCPUNS   *float64 `json:"client_cpu_ns"`  // CPU time of this process, per message
}

// NewCost returns what messages cost that were done in a window of so many nanoseconds, in
// which clientCores were used here; nil if no message was done.
func NewCost(nodes []NodeUsage, windowNS, messages int64, clientCores *float64) *Cost {
	if messages <= 0 || windowNS <= 0 || len(nodes) == 0 {
		return nil
	}
	cpu, written, resident, sent := new(int64), new(int64), new(int64), new(int64)
	for _, n := range nodes {
		sent = plus(sent, n.SentBytes)
		cpu, written, resident = plus(cpu, n.CPUNS), plus(written, n.WrittenBytes), plus(resident, n.ResidentBytes)
	}
	c := &Cost{WindowNS: windowNS, Messages: messages, ResidentBytes: resident}
	c.NodesCores, c.NodesCPUNS = over(cpu, windowNS), over(cpu, messages)
	c.WrittenBytes, c.SentBytes = over(written, messages), over(sent, messages)
	if clientCores != nil {
		c.ClientCPUNS = new(*clientCores * float64(windowNS) / float64(messages))
	}
	return c
}

// MeanCost returns what a message of several windows cost, each message counted once.
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
	sum.SentBytes = mean(func(c Cost) *float64 { return c.SentBytes }, messages, sum.Messages)
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
