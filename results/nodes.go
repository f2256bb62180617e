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
