package impact

import (
	"sync"
	"sync/atomic"
	"time"
)

// A gap is a time in which nothing came.
type gap struct{ from, to time.Duration }

func (s gap) length() time.Duration { return s.to - s.from }

// keptGaps is how many of the longest gaps are kept of each part of the schedule:
// more than one, since a fault may begin a little later than planned, so that what came
// before it shares the part.
const keptGaps = 4

// mostKept bounds the gaps that are kept: 32 MB. With more connections only the gaps of all
// together are kept.
const mostKept = 1 << 21

// connGaps records the gaps on each connection and on all together, and keeps the longest of each
// part of the schedule. Its memory does not grow with the run.
type connGaps struct {
	each  []gaps // by connection; none if there are too many
	all   gaps
	parts []gapSnapshot // of all connections, of each part that was added
}

// keptOfParts is how many gaps a part keeps of all its connections together: the gaps of the whole
// cell are among them.
const keptOfParts = 64

// newConnGaps returns the gaps of a schedule whose parts end at the edges, in order; the last part
// has no end.
func newConnGaps(connections int, edges []time.Duration) *connGaps {
	s := &connGaps{}
	if connections*(len(edges)+1)*keptGaps <= mostKept {
		s.each = make([]gaps, connections)
	}
	for i := range s.each {
		s.each[i].init(edges, keptGaps)
	}
	s.all.init(edges, keptGaps)
	return s
}

// note notes that something came. It may be called concurrently and allocates nothing.
func (s *connGaps) note(conn int, at time.Duration) {
	if conn < len(s.each) {
		s.each[conn].note(at)
	}
	s.all.note(at)
}

// gaps holds the gaps of one connection, or of all together.
type gaps struct {
	edges []time.Duration
	first atomic.Int64   // when the first came; 0: none did
	last  atomic.Int64   // when the last came; 0: none did
	least []atomic.Int64 // for each part, the length that is not kept any more

	mu     sync.Mutex
	kept   [][]gap         // for each part
	unseen []time.Duration // for each part, how long an unknown gap may be; none: all are known
}

func (s *gaps) init(edges []time.Duration, kept int) {
	s.edges = edges
	s.least = make([]atomic.Int64, len(edges)+1)
	s.kept = make([][]gap, len(edges)+1)
	for i := range s.kept {
		s.kept[i] = make([]gap, kept)
	}
}

// note ends a gap. Two goroutines may read the clock in one order and come here in the other. Then
// the earlier time is ignored, and the gap that it ended is too long by the difference.
func (s *gaps) note(at time.Duration) {
	for {
		last := s.last.Load()
		if int64(at) <= last {
			return
		}
		if !s.last.CompareAndSwap(last, int64(at)) {
			continue
		}
		if last == 0 {
			s.first.Store(int64(at))
		}
		part := s.part(at)
		if one := (gap{time.Duration(last), at}); last > 0 && int64(one.length()) > s.least[part].Load() {
			s.keep(part, one)
		}
		return
	}
}

// part returns the part of the schedule in which a moment is.
func (s *gaps) part(at time.Duration) int {
	for i, edge := range s.edges {
		if at < edge {
			return i
		}
	}
	return len(s.edges)
}

// keep keeps a gap in place of the shortest of its part.
func (s *gaps) keep(part int, one gap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shortest, second := 0, time.Duration(1<<62)
	list := s.kept[part]
	for i := range list {
		switch {
		case list[i].length() < list[shortest].length():
			second, shortest = min(second, list[shortest].length()), i
		case i != shortest:
			second = min(second, list[i].length())
		}
	}
	if one.length() > list[shortest].length() {
		list[shortest] = one
		s.least[part].Store(int64(min(second, one.length())))
	}
}

// leastBefore is how much of the window says what is usual before the first fault. If the fault
// begins sooner, the warm-up counts too.
const leastBefore = time.Second

// usual returns the longest gap that began before the first fault, as far as it was before
// it; ok is false if nothing came before it.
func (s *gaps) usual(warmup, began time.Duration) (longest time.Duration, ok bool) {
	if began < warmup+leastBefore {
		warmup = 0
	}
	for i, part := range s.kept {
		if i < len(s.unseen) && s.within(i, warmup, began) {
			longest = max(longest, s.unseen[i])
		}
		for _, one := range part {
			if one.to > warmup && one.from > 0 && one.from < began {
				longest, ok = max(longest, min(one.to, began)-one.from), true
			}
		}
	}
	if last := time.Duration(s.last.Load()); last > 0 && last < began { // nothing came any more
		longest, ok = max(longest, began-last), true
	}
	return longest, ok
}

// within tells whether a part of the schedule has anything from one offset to another.
func (s *gaps) within(part int, from, to time.Duration) bool {
	return (part == 0 || s.edges[part-1] < to) && (part == len(s.edges) || s.edges[part] > from)
}

// own returns the gaps that may be outages of a fault: the longest that was under way when it began
// or that began before the next fault, and the last gap if nothing ended it. They count from the
// fault. A gap that had not lasted longer than ordinary when the next fault began belongs to the
// next: there is a gap between any two messages. The last gap ends at end, when the last message
// was due.
func (s *gaps) own(began, next, end, ordinary time.Duration) (found []ownGap) {
	var longest ownGap
	nexts := func(one gap) bool { return one.to > next && next-max(one.from, began) <= ordinary }
	for _, part := range s.kept {
		for _, one := range part {
			if one.to <= began || one.from >= next || one.from == 0 {
				continue
			}
			if nexts(one) {
				one.to = next
			}
			if c := (ownGap{one, max(one.from, began), true}); c.length() > longest.length() {
				longest = c
			}
		}
	}
	if longest.length() > 0 {
		found = append(found, longest)
	}
	open := gap{time.Duration(s.last.Load()), end}
	if open.from > 0 && open.from < next && end > max(open.from, began) && !nexts(open) {
		found = append(found, ownGap{open, max(open.from, began), false})
	}
	return found
}

// An ownGap is a gap that belongs to a fault.
type ownGap struct {
	gap

	counts time.Duration // from when it counts: the fault, or when it began
	ended  bool
}

func (c ownGap) length() time.Duration { return c.to - c.counts }
