package impact

import (
	"cmp"
	"slices"
	"time"
)

// A gapsSnapshot holds the gaps of each connection, and of all together.
type gapsSnapshot struct {
	Each []gapSnapshot
	All  gapSnapshot
}

// A gapSnapshot holds the gaps of one connection, or of all.
type gapSnapshot struct {
	First, Last time.Duration   // when the first and the last came; 0: none did
	From, To    []time.Duration // the gaps that were kept
	Least       []time.Duration // for each part, the longest that may not have been
}

func (s *connGaps) snapshot() gapsSnapshot {
	t := gapsSnapshot{All: s.all.snapshot()}
	for i := range s.each {
		t.Each = append(t.Each, s.each[i].snapshot())
	}
	return t
}

func (s *gaps) snapshot() gapSnapshot {
	t := gapSnapshot{First: time.Duration(s.first.Load()), Last: time.Duration(s.last.Load())}
	for i, part := range s.kept {
		for _, one := range part {
			if one.length() > 0 {
				t.From, t.To = append(t.From, one.from), append(t.To, one.to)
			}
		}
		t.Least = append(t.Least, time.Duration(s.least[i].Load()))
	}
	return t
}

// add adds the connections of a part. Its gaps of all connections are for merge.
func (s *connGaps) add(t gapsSnapshot, part, of int) {
	for conn, one := range t.Each {
		if whole := part + conn*of; whole < len(s.each) {
			s.each[whole].set(one)
		}
	}
	s.parts = append(s.parts, t.All)
}

func (s *gaps) set(t gapSnapshot) {
	s.first.Store(int64(t.First))
	s.last.Store(int64(t.Last))
	for i := range min(len(t.From), len(t.To)) {
		one := gap{t.From[i], t.To[i]}
		s.keep(s.part(one.to), one)
	}
}

// merge finds the gaps that all parts have in common. Each part keeps its longest gaps, so a shorter
// common gap may be missed, but none that is longer than unseen.
func (s *connGaps) merge() {
	if len(s.parts) == 0 {
		return
	}
	list := s.parts[0].gaps()
	for _, p := range s.parts[1:] {
		list = overlaps(list, p.gaps())
	}
	for _, p := range s.parts {
		raise(&s.all.last, int64(p.Last))
	}
	for _, one := range list {
		if one.to != endless && one.length() > 0 {
			s.all.keep(s.all.part(one.to), one)
		}
	}
	for part := range s.all.kept {
		s.all.unseen = append(s.all.unseen, unseen(s.parts, part))
	}
}

// gaps returns the known gaps in order.
func (t gapSnapshot) gaps() (list []gap) {
	list = append(list, gap{0, t.First}, gap{t.Last, endless})
	if t.First == 0 {
		return []gap{{0, endless}}
	}
	for i := range min(len(t.From), len(t.To)) {
		list = append(list, gap{t.From[i], t.To[i]})
	}
	slices.SortFunc(list, func(a, b gap) int { return cmp.Compare(a.from, b.from) })
	return list
}

// overlaps returns the times that are in both lists, whose gaps are in order and do not overlap.
func overlaps(a, b []gap) (both []gap) {
	for len(a) > 0 && len(b) > 0 {
		if one := (gap{max(a[0].from, b[0].from), min(a[0].to, b[0].to)}); one.length() > 0 {
			both = append(both, one)
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// unseen returns how long an unknown common gap may be: it would be a gap of each part, and one of
// them did not keep it.
func unseen(parts []gapSnapshot, part int) (longest time.Duration) {
	for _, p := range parts {
		if part < len(p.Least) {
			longest = max(longest, p.Least[part])
		}
	}
	return longest
}
