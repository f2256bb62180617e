// Package causes finds out what the worst messages of a cell have in common: which of the sampled causes coincide
// with their pauses more often than chance allows.
//
// The pauses are permuted in blocks, which keeps the bursts of both, and shifted as a whole, which keeps the rhythm; the
// probability of a coincidence is corrected for the number of candidates by the distribution of the least probability of
// all of them (Westfall and Young, Resampling-Based Multiple Testing, 1993).
package causes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// familyError is the probability of naming a cause where there is none.
const familyError = 0.05

const (
	leastSamples  = 200 // and half as many in the window
	mostCauses    = 4
	leastShare    = 0.25 // of the pauses, beyond what chance explains, that a cause must coincide with
	leastTogether = 3    // pauses
	nearly        = 0.6  // of the most coincidences beyond chance: a cause that says more may have fewer
)

// Judge returns the causes of the worst messages; nil without samples. The result depends on nothing but s.
func Judge(s *cause.Samples) *cause.Causes {
	if s == nil {
		return nil
	}
	r := &cause.Causes{Missing: s.Missing, Verdict: cause.Undecided}
	g := newGrid(s)
	if len(g.ends) <= leastSamples || g.every() <= 0 || g.to-g.from < leastSamples/2*g.every() {
		r.Reason = fmt.Sprintf("there are only %d samples", max(0, len(g.ends)-1))
		return r
	}
	pauses := slices.DeleteFunc(pausesOf(s, 2*g.every()), func(p pause) bool { return p.from < g.from || p.from >= g.to })
	r.Pauses = len(pauses)
	if len(pauses) < leastPauses {
		r.Reason = fmt.Sprintf("there are %d pauses of %v or more: at least %d are needed", len(pauses), shortest, leastPauses)
		return r
	}
	all := candidates(s, len(g.ends)-1)
	r.Causes = explain(g, all, pauses)
	r.Verdict = cause.None
	if len(r.Causes) > 0 {
		r.Verdict = cause.Found
	}
	r.Marks = marks(g, all, pauses, r.Causes)
	return r
}

// explain names the cause that explains the most pauses, then that which explains the most of the rest, until no more
// coincides with them than chance allows.
func explain(g grid, all []*candidate, pauses []pause) (found []cause.Cause) {
	left := slices.Clone(pauses)
	for len(left) >= leastPauses && len(found) < mostCauses {
		t := newTrial(g, all, left)
		c := t.best(familyError / float64(len(found)+1))
		if c == nil {
			break
		}
		found = append(found, c.Cause)
		left = slices.DeleteFunc(left, func(p pause) bool { return c.explains(c.in(g.sample(p.from), g.sample(p.to)), p.worst, partShare) })
		all = slices.DeleteFunc(slices.Clone(all), func(o *candidate) bool { return o.is(c.Cause) })
	}
	return found
}

// marks returns the pauses in the order of time with the causes that coincide with them.
func marks(g grid, all []*candidate, pauses []pause, found []cause.Cause) (list []cause.Pause) {
	pauses = slices.SortedFunc(slices.Values(pauses), func(a, b pause) int { return cmp.Compare(a.from, b.from) })
	for _, p := range pauses {
		m := cause.Pause{FromNS: p.from, ToNS: p.to, WorstNS: p.worst}
		for i, f := range found {
			for _, c := range all {
				if c.is(f) && c.explains(c.in(g.sample(p.from), g.sample(p.to)), p.worst, share) {
					m.Of = append(m.Of, i)
				}
			}
		}
		list = append(list, m)
	}
	return list
}
