package impact

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A gap is a time in which nothing came.
type gap struct{ From, To time.Duration }

func (s gap) length() time.Duration { return s.To - s.From }

// keptGaps is how many of the longest gaps are kept of each part of the schedule:
// more than one, since a fault may begin a little later than planned, so that what came
// before it shares the part.
const keptGaps = 4

// keptOfParts is how many gaps a part of a cell keeps of all its connections together: the gaps of the
// whole cell are among them.
const keptOfParts = 64

// mostKept bounds the gaps that are kept: 32 MB. With more connections only the gaps of all
// together are kept.
const mostKept = 1 << 21

// connGaps records the gaps on each connection and on all together, and keeps the longest of each
// part of the schedule. Its memory does not grow with the run.
type connGaps struct {
	All  gaps   // the first field: its numbers are atomic, also where a word has 32 bits
	Each []gaps // by connection; nil if there are too many

	parts []*gaps // of all connections, of each part that was added
}

// newConnGaps returns the gaps of a schedule whose parts end at the edges, in order; the last part
// has no end. It keeps so many of the gaps of all connections together.
func newConnGaps(connections int, edges []time.Duration, kept int) *connGaps {
	s := &connGaps{}
	if connections*(len(edges)+1)*keptGaps <= mostKept {
		s.Each = make([]gaps, connections)
	}
	for i := range s.Each {
		s.Each[i].init(edges, keptGaps)
	}
	s.All.init(edges, kept)
	return s
}

// note notes that something came. It may be called concurrently and allocates nothing.
func (s *connGaps) note(conn int, at time.Duration) {
	if conn < len(s.Each) {
		s.Each[conn].note(at)
	}
	s.All.note(at)
}

// gaps holds the gaps of one connection, or of all together.
type gaps struct {
	First int64   // when the first came; 0: none did
	Last  int64   // when the last came; 0: none did
	Least []int64 // for each part, the length that is not kept any more
	Kept  [][]gap // for each part

	edges  []time.Duration
	mu     sync.Mutex
	unseen []time.Duration // for each part, how long an unknown gap may be; none: all are known
}

func (s *gaps) init(edges []time.Duration, kept int) {
	s.edges = edges
	s.Least = make([]int64, len(edges)+1)
	s.Kept = make([][]gap, len(edges)+1)
	for i := range s.Kept {
		s.Kept[i] = make([]gap, kept)
	}
}

// note ends a gap. Two goroutines may read the clock in one order and come here in the other. Then
// the earlier time is ignored, and the gap that it ended is too long by the difference.
func (s *gaps) note(at time.Duration) {
	for {
		last := atomic.LoadInt64(&s.Last)
		if int64(at) <= last {
			return
		}
		if !atomic.CompareAndSwapInt64(&s.Last, last, int64(at)) {
			continue
		}
		if last == 0 {
			s.First = int64(at)
			return
		}
		part := s.part(at)
		if one := (gap{time.Duration(last), at}); int64(one.length()) > atomic.LoadInt64(&s.Least[part]) {
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
	list := s.Kept[part]
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
		atomic.StoreInt64(&s.Least[part], int64(min(second, one.length())))
	}
}

// leastBefore is how much of the window says what is usual before the first fault. If the fault
// begins sooner, the warm-up counts too.
const leastBefore = time.Second

// mostStalls is how many gaps before the first fault do not say what is usual: a target may have stalled.
const mostStalls = keptGaps - 1

// usual returns the longest gap that began before the first fault, as far as it was before it, but for
// mostStalls longer ones, and never for half of the gaps. It returns false if nothing came before it.
func (s *gaps) usual(warmup, began time.Duration) (length time.Duration, ok bool) {
	if began < warmup+leastBefore {
		warmup = 0
	}
	var lengths []time.Duration
	for i, part := range s.Kept {
		if i < len(s.unseen) && s.within(i, warmup, began) {
			length = max(length, s.unseen[i])
		}
		for _, one := range part {
			if one.To > warmup && one.From > 0 && one.From < began {
				lengths = append(lengths, min(one.To, began)-one.From)
			}
		}
	}
	if last := time.Duration(s.Last); last > 0 && last < began { // nothing came any more
		lengths = append(lengths, began-last)
	}
	if len(lengths) == 0 {
		return length, false
	}
	slices.SortFunc(lengths, func(a, b time.Duration) int { return cmp.Compare(b, a) })
	return max(length, lengths[min(mostStalls, (len(lengths)-1)/2)]), true
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
func (s *gaps) own(began, next, end, usual time.Duration) (found []candidate) {
	var longest candidate
	nexts := func(one gap) bool { return one.To > next && next-max(one.From, began) <= outageTimes*usual }
	for _, part := range s.Kept {
		for _, one := range part {
			if one.To <= began || one.From >= next || one.From == 0 {
				continue
			}
			ended := !nexts(one)
			if !ended {
				one.To = next
			}
			if c := (candidate{gap: one, counts: max(one.From, began), ended: ended, usual: usual}); c.length() > longest.length() {
				longest = c
			}
		}
	}
	if longest.length() > 0 {
		found = append(found, longest)
	}
	open := gap{time.Duration(s.Last), end}
	if nexts(open) {
		open.To = next
	}
	if open.From > 0 && open.From < next && open.length() > 0 && open.To > began {
		found = append(found, candidate{gap: open, counts: max(open.From, began), usual: usual})
	}
	return found
}
