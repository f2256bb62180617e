package measure

import (
	"sync"
	"sync/atomic"
	"time"
)

// A silence is a time in which nothing came.
type silence struct{ from, to time.Duration }

func (s silence) length() time.Duration { return s.to - s.from }

// keptSilences is how many of the longest silences are kept of each part of the schedule:
// more than one, since a fault may begin a little later than planned, so that what came
// before it shares the part.
const keptSilences = 4

// mostKept bounds the silences that are kept: 32 MB. Of more connections only all together are
// followed.
const mostKept = 1 << 21

// silences follow the times in which nothing came, on each connection and on all together,
// and keep the longest of each part of the schedule. The memory does not grow with the run.
type silences struct {
	each  []quiet // by connection; none if there are too many
	all   quiet
	parts []quietTape // what all are together in each of several parts that are added up
}

// keptOfParts is how many silences a part keeps of all its connections together: those of all
// parts are in them.
const keptOfParts = 64

// newSilences makes silences of a schedule whose parts end at the edges, in order; the last
// part has no end.
func newSilences(connections int, edges []time.Duration) *silences {
	s := &silences{}
	if connections*(len(edges)+1)*keptSilences <= mostKept {
		s.each = make([]quiet, connections)
	}
	for i := range s.each {
		s.each[i].init(edges, keptSilences)
	}
	s.all.init(edges, keptSilences)
	return s
}

// note notes that something came. It may be called concurrently and allocates nothing.
func (s *silences) note(conn int, at time.Duration) {
	if conn < len(s.each) {
		s.each[conn].note(at)
	}
	s.all.note(at)
}

// quiet is what is silent: a connection, or all of them.
type quiet struct {
	edges []time.Duration
	first atomic.Int64   // when the first came; 0: none did
	last  atomic.Int64   // when the last came; 0: none did
	least []atomic.Int64 // for each part, the length that is not kept any more

	mu     sync.Mutex
	kept   [][]silence     // for each part
	unseen []time.Duration // for each part, how long one may be that nobody knows of; none: all are known
}

func (s *quiet) init(edges []time.Duration, kept int) {
	s.edges = edges
	s.least = make([]atomic.Int64, len(edges)+1)
	s.kept = make([][]silence, len(edges)+1)
	for i := range s.kept {
		s.kept[i] = make([]silence, kept)
	}
}

// note ends a silence. Two goroutines may have read the clock in one order and come here in the
// other: then the earlier is passed over, and the silence that ended with it is too long by
// what is between them.
func (s *quiet) note(at time.Duration) {
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
		if one := (silence{time.Duration(last), at}); last > 0 && int64(one.length()) > s.least[part].Load() {
			s.keep(part, one)
		}
		return
	}
}

// part returns the part of the schedule in which a moment is.
func (s *quiet) part(at time.Duration) int {
	for i, edge := range s.edges {
		if at < edge {
			return i
		}
	}
	return len(s.edges)
}

// keep keeps a silence in place of the shortest of its part.
func (s *quiet) keep(part int, one silence) {
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

// leastQuiet is how much of the window says what is usual before the first fault. If the fault
// begins sooner, the warm-up counts too.
const leastQuiet = time.Second

// usual returns the longest silence that began before the first fault, as far as it was before
// it; ok is false if nothing came before it.
func (s *quiet) usual(warmup, began time.Duration) (longest time.Duration, ok bool) {
	if began < warmup+leastQuiet {
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
func (s *quiet) within(part int, from, to time.Duration) bool {
	return (part == 0 || s.edges[part-1] < to) && (part == len(s.edges) || s.edges[part] > from)
}

// caught returns what may be an outage of a fault: the longest silence that was under way when
// it began or began before the next, and the one that nothing ended. They count from the fault.
// One that had not lasted for longer than ordinary when the next fault began is that one's: between any
// two messages there is a silence. end is when the last message was due: until then counts a
// silence that nothing ended.
func (s *quiet) caught(began, next, end, ordinary time.Duration) (found []caught) {
	var longest caught
	nexts := func(one silence) bool { return one.to > next && next-max(one.from, began) <= ordinary }
	for _, part := range s.kept {
		for _, one := range part {
			if one.to <= began || one.from >= next || one.from == 0 {
				continue
			}
			if nexts(one) {
				one.to = next
			}
			if c := (caught{one, max(one.from, began), true}); c.length() > longest.length() {
				longest = c
			}
		}
	}
	if longest.length() > 0 {
		found = append(found, longest)
	}
	open := silence{time.Duration(s.last.Load()), end}
	if open.from > 0 && open.from < next && end > max(open.from, began) && !nexts(open) {
		found = append(found, caught{open, max(open.from, began), false})
	}
	return found
}

// A caught is a silence that belongs to a fault.
type caught struct {
	silence

	counts time.Duration // from when it counts: the fault, or when it began
	ended  bool
}

func (c caught) length() time.Duration { return c.to - c.counts }
