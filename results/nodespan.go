package results

// A NodeSpan is what one node did in a stretch of one or more intervals. What is not known is
// nil. The zero value is no time at all.
type NodeSpan struct {
	RanNS int64 // how long it ran, in whole intervals
	// How long no process of it was there. An interval counts by its end, at which
	// processes are counted: what a node did before it died in an interval is not known.
	GoneNS int64

	CPUNS         *int64 // while it ran: user and system
	ResidentBytes *int64 // the most at the end of an interval
	ReadBytes     *int64 // while it ran
	WrittenBytes  *int64 // while it ran
	SentBytes     *int64 // while it ran, as ReceivedBytes
	ReceivedBytes *int64
}

// Span returns what the node did in the interval. A node that nobody saw there has counts of
// 0 in the file; here it has none. One on another machine runs as far as is known.
func (n NodeInterval) Span() NodeSpan {
	length := n.ToNS - n.FromNS
	if n.Processes == 0 && n.CPUNS != nil {
		return NodeSpan{GoneNS: length}
	}
	return NodeSpan{
		RanNS: length, CPUNS: n.CPUNS, ResidentBytes: n.ResidentBytes, ReadBytes: n.ReadBytes, WrittenBytes: n.WrittenBytes,
		SentBytes: n.SentBytes, ReceivedBytes: n.ReceivedBytes,
	}
}

// Plus returns the sum of two stretches. Time in which no process was there adds nothing to
// what the node did, and takes nothing away; what is unknown in time that it ran is unknown.
func (s NodeSpan) Plus(other NodeSpan) NodeSpan {
	sum := s
	switch {
	case other.RanNS == 0:
	case s.RanNS == 0:
		sum = other
	default:
		sum.CPUNS, sum.ResidentBytes = plus(s.CPUNS, other.CPUNS), larger(s.ResidentBytes, other.ResidentBytes)
		sum.ReadBytes, sum.WrittenBytes = plus(s.ReadBytes, other.ReadBytes), plus(s.WrittenBytes, other.WrittenBytes)
		sum.SentBytes, sum.ReceivedBytes = plus(s.SentBytes, other.SentBytes), plus(s.ReceivedBytes, other.ReceivedBytes)
	}
	sum.RanNS, sum.GoneNS = s.RanNS+other.RanNS, s.GoneNS+other.GoneNS
	return sum
}
