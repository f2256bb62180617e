package results

import "github.com/brokerbench/brokerbench/results/internal/total"

// A NodeUsage is the usage of one node of the target in an interval of the log, or in the
// window. Unknown values are null.
type NodeUsage struct {
	Node      string `json:"node"`                  // its name
	Processes int64  `json:"processes" total:"max"` // at the end; in the window, the most; 0: it did not run, or runs on another machine

	CPUNS         *int64 `json:"cpu_ns"`                     // user and system
	ResidentBytes *int64 `json:"resident_bytes" total:"max"` // at the end; in the window, the most; shared memory counts for each process
	ReadBytes     *int64 `json:"read_bytes"`                 // from disks, not from the page cache
	WrittenBytes  *int64 `json:"written_bytes"`              // to files, whether or not they have reached the disk
	// CancelledBytes are of WrittenBytes those that never reach the disk, because their file was deleted or cut first.
	CancelledBytes *int64 `json:"cancelled_bytes,omitempty"`
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

// A NodeSpan is the usage of one node in one or more consecutive intervals. Unknown values are
// nil. The zero value has no length.
type NodeSpan struct {
	RanNS int64 // how long it ran, in whole intervals
	// How long it had no process. Processes are counted at the end of an interval, so the usage
	// of a node before it died within an interval is unknown.
	GoneNS int64

	CPUNS         *int64 // while it ran: user and system
	ResidentBytes *int64 `total:"max"` // the most at the end of an interval
	ReadBytes     *int64 // while it ran
	WrittenBytes  *int64 // while it ran
}

// Span returns the interval as a span. The file has counts of 0 for a node without processes;
// the span has none. A node on another machine counts as running.
func (n NodeInterval) Span() NodeSpan {
	length := n.ToNS - n.FromNS
	if n.Processes == 0 && n.CPUNS != nil {
		return NodeSpan{GoneNS: length}
	}
	return NodeSpan{
		RanNS: length, CPUNS: n.CPUNS, ResidentBytes: n.ResidentBytes, ReadBytes: n.ReadBytes, WrittenBytes: n.WrittenBytes,
	}
}

// Plus returns the sum of two spans. A span without processes adds nothing; a value that is
// unknown in a span with processes is unknown in the sum.
func (s NodeSpan) Plus(other NodeSpan) NodeSpan {
	sum := total.Of(s, other)
	switch {
	case other.RanNS == 0:
		sum = s
	case s.RanNS == 0:
		sum = other
	}
	sum.RanNS, sum.GoneNS = s.RanNS+other.RanNS, s.GoneNS+other.GoneNS
	return sum
}

// A Cost is the usage of the nodes and of this process in the window, divided by the messages
// that were done. It includes usage that had nothing to do with messages. Unknown values are
// null.
type Cost struct {
	WindowNS int64 `json:"window_ns"` // how long the nodes were sampled
	Messages int64 `json:"messages"`  // done in it

	NodesCores   *float64 `json:"nodes_cores"`   // CPU seconds per second, of all nodes together
	NodesCPUNS   *float64 `json:"nodes_cpu_ns"`  // CPU time of all nodes, per message
	WrittenBytes *float64 `json:"written_bytes"` // by all nodes, per message
	// CancelledBytes are of WrittenBytes those that never reach the disk, per message.
	CancelledBytes *float64 `json:"cancelled_bytes,omitempty"`
	ResidentBytes  *int64   `json:"resident_bytes" total:"max"` // the most that each node had, added up
	ClientCPUNS    *float64 `json:"client_cpu_ns"`              // CPU time of this process, per message
}

// NewCost returns the cost of the messages that were done in a window, in which this process
// used clientCores; nil if no message was done.
func NewCost(nodes []NodeUsage, windowNS, messages int64, clientCores *float64) *Cost {
	if messages <= 0 || windowNS <= 0 || len(nodes) == 0 {
		return nil
	}
	cpu, written, cancelled, resident := new(int64), new(int64), new(int64), new(int64)
	for _, n := range nodes {
		cpu, written, resident = plus(cpu, n.CPUNS), plus(written, n.WrittenBytes), plus(resident, n.ResidentBytes)
		cancelled = plus(cancelled, n.CancelledBytes)
	}
	c := &Cost{WindowNS: windowNS, Messages: messages, ResidentBytes: resident}
	c.NodesCores, c.NodesCPUNS = over(cpu, windowNS), over(cpu, messages)
	c.WrittenBytes, c.CancelledBytes = over(written, messages), over(cancelled, messages)
	if clientCores != nil {
		c.ClientCPUNS = new(*clientCores * float64(windowNS) / float64(messages))
	}
	return c
}

// MeanCost returns the cost of a message over several windows. Each message counts once.
func MeanCost(costs []Cost) *Cost {
	var window, messages int64
	for _, c := range costs {
		window, messages = window+c.WindowNS, messages+c.Messages
	}
	var perTime, perMessage total.Sum[Cost]
	for _, c := range costs {
		perTime.Add(c, float64(c.WindowNS)/float64(window))
		perMessage.Add(c, float64(c.Messages)/float64(messages))
	}
	mean := perMessage.Value()
	mean.NodesCores = perTime.Value().NodesCores
	return &mean
}

// over returns the quotient, unknown if the sum is.
func over(sum *int64, n int64) *float64 {
	if sum == nil {
		return nil
	}
	return new(float64(*sum) / float64(n))
}

// plus returns the sum, unknown if one of the two is.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}
