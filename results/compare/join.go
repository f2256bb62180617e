package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Join returns several result sets as one side of a comparison: their cells of the
// same target and shape are repeats of each other. Runs of one plan at different
// hours show how hours differ, which repeats in a row do not. If the sets are not
// repeats of each other, the error names what differs.
func Join(sets ...*Set) (*Set, error) {
	if len(sets) == 0 {
		return nil, errors.New("no result sets to join")
	}
	if len(sets) == 1 {
		return sets[0], nil
	}
	joined := &Set{Run: sets[0].Run, parts: sets}
	var dirs []string
	for _, s := range sets {
		if slices.Contains(dirs, s.Dir) {
			return nil, fmt.Errorf("%s is named twice on one side: it would count as a repeat of itself", s.Dir)
		}
		dirs = append(dirs, s.Dir)
		joined.Trials = append(joined.Trials, s.Trials...)
		if list := unequal(shared(sets[0], s)); len(list) > 0 {
			return nil, fmt.Errorf("%s and %s are not repeats of each other: %v", sets[0].Dir, s.Dir, list[0])
		}
	}
	joined.Dir = strings.Join(dirs, ",")
	return joined, nil
}

// shared returns the groups that two sets have in common.
func shared(a, b *Set) (couples []couple) {
	for _, left := range groups(a) {
		for _, right := range groups(b) {
			if left.target == right.target && left.shape == right.shape {
				couples = append(couples, couple{left, right})
			}
		}
	}
	return couples
}

// within lists what differs among the sets of one side.
func (s *Set) within(side string) (list differenceList) {
	for i, part := range s.parts {
		for _, d := range differences(s.parts[0], part, shared(s.parts[0], part)) {
			list.add(fmt.Sprintf("%s 1 → %s %d, %s", side, side, i+1, d.Where), d.Name, d.Base, d.New)
		}
	}
	return list
}
