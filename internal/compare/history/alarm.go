package history

import (
	"cmp"
	"slices"
)

// alarm marks the changes for the worse that are new, and shown when all series are
// judged together (see [stats.Holm]). Series without a change count, too.
func (h *History) alarm() {
	var fresh []*Change
	for i := range h.Cells {
		for j := range h.Cells[i].Metrics {
			if c := h.Cells[i].Metrics[j].newest(h.Newest); c != nil {
				fresh = append(fresh, c)
			}
		}
	}
	slices.SortStableFunc(fresh, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	for i, c := range fresh {
		if c.P > h.LeastP/float64(h.Judged-i) {
			break
		}
		c.Alarm = true
	}
}

// newest returns the change for the worse with at most so many runs after it, or nil.
func (m *Metric) newest(runs int) *Change {
	if len(m.Changes) == 0 {
		return nil
	}
	if c := &m.Changes[len(m.Changes)-1]; c.Worse && c.RunsAfter <= runs {
		return c
	}
	return nil
}

// Alarms names the series with a new change for the worse: "p99 of nats-…".
func (h *History) Alarms() (names []string) {
	for _, c := range h.Cells {
		for _, m := range c.Metrics {
			if slices.ContainsFunc(m.Changes, func(c Change) bool { return c.Alarm }) {
				names = append(names, m.Name+" of "+c.ID)
			}
		}
	}
	return names
}
