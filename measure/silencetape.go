package measure

import (
	"cmp"
	"slices"
	"time"
)

// A silencesTape is a silences: what is silent by connection, and all together.
type silencesTape struct {
	Each []quietTape
	All  quietTape
}

// A quietTape is a quiet.
type quietTape struct {
	First, Last time.Duration   // when the first and the last came; 0: none did
	From, To    []time.Duration // the silences that were kept
	Least       []time.Duration // for each part, the longest that may not have been
}

func (s *silences) tape() silencesTape {
	t := silencesTape{All: s.all.tape()}
	for i := range s.each {
		t.Each = append(t.Each, s.each[i].tape())
	}
	return t
}

func (s *quiet) tape() quietTape {
	t := quietTape{First: time.Duration(s.first.Load()), Last: time.Duration(s.last.Load())}
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

// add takes over the connections of a part. What all are together is for common.
func (s *silences) add(t silencesTape, part, of int) {
	for conn, one := range t.Each {
		if whole := part + conn*of; whole < len(s.each) {
			s.each[whole].set(one)
		}
	}
	s.parts = append(s.parts, t.All)
}

func (s *quiet) set(t quietTape) {
	s.first.Store(int64(t.First))
	s.last.Store(int64(t.Last))
	for i := range min(len(t.From), len(t.To)) {
		one := silence{t.From[i], t.To[i]}
		s.keep(s.part(one.to), one)
	}
}

// common finds the times in which all parts were silent. Each keeps its longest, so one of all
// of them that is shorter may be missed, but none that is longer than what unseen says.
func (s *silences) common() {
	if len(s.parts) == 0 {
		return
	}
	list := s.parts[0].silences()
	for _, p := range s.parts[1:] {
		list = overlaps(list, p.silences())
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

// silences returns the times in which nothing came that are known, in order.
func (t quietTape) silences() (list []silence) {
	list = append(list, silence{0, t.First}, silence{t.Last, endless})
	if t.First == 0 {
		return []silence{{0, endless}}
	}
	for i := range min(len(t.From), len(t.To)) {
		list = append(list, silence{t.From[i], t.To[i]})
	}
	slices.SortFunc(list, func(a, b silence) int { return cmp.Compare(a.from, b.from) })
	return list
}

// overlaps returns when both were silent, of silences in order that do not overlap.
func overlaps(a, b []silence) (both []silence) {
	for len(a) > 0 && len(b) > 0 {
		if one := (silence{max(a[0].from, b[0].from), min(a[0].to, b[0].to)}); one.length() > 0 {
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

// unseen returns how long a time may be in which all were silent that is not known: it would be
// a silence of each, and one of them has not kept it.
func unseen(parts []quietTape, part int) (longest time.Duration) {
	for _, p := range parts {
		if part < len(p.Least) {
			longest = max(longest, p.Least[part])
		}
	}
	return longest
}
