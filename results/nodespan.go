package results

import "github.com/brokerbench/brokerbench/results/internal/total"

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
