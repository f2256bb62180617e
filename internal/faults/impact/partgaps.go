package impact

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// add adds the connections of a part, unless the whole has too many connections to keep the gaps of
// each. Its gaps of all connections are for merge.
func (s *connGaps) add(t *connGaps, part, of int) error {
	for conn := range t.Each {
		if s.Each == nil {
			break
		}
		from := &t.Each[conn]
		whole := part + conn*of
		if whole >= len(s.Each) || len(from.Kept) != len(s.All.Kept) {
			return fmt.Errorf("gaps of connection %d in %d parts: %d connections with %d parts are expected", whole, len(from.Kept), len(s.Each), len(s.All.Kept))
		}
		to := &s.Each[whole]
		to.First, to.Last, to.Least, to.Kept = from.First, from.Last, from.Least, from.Kept
	}
	s.parts = append(s.parts, &t.All)
	return nil
}

// merge finds the gaps that all parts have in common. Each part keeps its longest gaps, so a shorter
// common gap may be missed, but none that is longer than unseen: it would be a gap of each part, and
// one of them did not keep it.
func (s *connGaps) merge() {
	if len(s.parts) == 0 {
		return
	}
	list := s.parts[0].sorted()
	s.All.unseen = make([]time.Duration, len(s.All.Kept))
	for i, p := range s.parts {
		if i > 0 {
			list = overlaps(list, p.sorted())
		}
		s.All.Last = max(s.All.Last, p.Last)
		for part := range min(len(s.All.unseen), len(p.Least)) {
			s.All.unseen[part] = max(s.All.unseen[part], time.Duration(p.Least[part]))
		}
	}
	for _, one := range list {
		if one.To != endless && one.length() > 0 {
			s.All.keep(s.All.part(one.To), one)
		}
	}
}

// sorted returns the known gaps in order.
func (s *gaps) sorted() (list []gap) {
	if s.First == 0 {
		return []gap{{0, endless}}
	}
	list = append(slices.Concat(s.Kept...), gap{0, time.Duration(s.First)}, gap{time.Duration(s.Last), endless})
	list = slices.DeleteFunc(list, func(one gap) bool { return one.length() == 0 })
	slices.SortFunc(list, func(a, b gap) int { return cmp.Compare(a.From, b.From) })
	return list
}

// overlaps returns the times that are in both lists, whose gaps are in order and do not overlap.
func overlaps(a, b []gap) (both []gap) {
	for len(a) > 0 && len(b) > 0 {
		if one := (gap{max(a[0].From, b[0].From), min(a[0].To, b[0].To)}); one.length() > 0 {
			both = append(both, one)
		}
		if a[0].To < b[0].To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}
