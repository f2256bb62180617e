package results

import (
	"cmp"
	"slices"
)

// FaultEvents returns the beginnings of the cell's faults and the recoveries from them, in the
// order of time.
func (c *Cell) FaultEvents() (list []Event) {
	for _, f := range c.Faults {
		if !f.Done() {
			continue
		}
		name := f.Name()
		list = append(list, Event{f.BeganNS, name})
		back := (*int64)(nil)
		if f.Impact != nil && f.Impact.RecoveredNS != nil && *f.Impact.RecoveredNS > 0 {
			back = new(f.BeganNS + *f.Impact.RecoveredNS)
		}
		for _, e := range []struct {
			at   *int64
			what string
		}{
			{f.LeaderNS, cmp.Or(f.LeaderAfter, "another") + " leads"},
			{f.HealedNS, "mended"},
			{f.RedundantNS, "all copies in step"},
			{back, "p99 is back"},
		} {
			if e.at != nil {
				list = append(list, Event{*e.at, name + ": " + e.what})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Event) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return list
}
