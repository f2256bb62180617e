package histogram

// A Sum adds up histograms without loss, whatever their ranges, as long as their
// precision is the same. The zero value is an empty sum. It is not safe for
// concurrent use.
type Sum struct{ total *Histogram }

// Add adds the counts of h. It neither changes nor keeps h. The sum has the widest range
// that was added. A histogram of another precision or unit is an
// error, and then nothing is added.
func (s *Sum) Add(h *Histogram) error {
	switch {
	case s.total == nil || s.total.Count() == 0 && h.Count() > 0:
		s.widen(h)
	case s.total.reach() < h.reach() && s.total.sub == h.sub && s.total.unit == h.unit:
		s.widen(h)
	}
	return s.total.Merge(h)
}

// widen gives the sum the range of h, which can hold its values so far.
func (s *Sum) widen(h *Histogram) {
	wide := h.Clone()
	wide.Reset()
	if s.total != nil {
		if err := wide.Merge(s.total); err != nil {
			panic("histogram: " + err.Error()) // Add has checked it
		}
	}
	s.total = wide
}

// Bytes returns how much memory the sum takes.
func (s *Sum) Bytes() int {
	if s.total == nil {
		return 0
	}
	return 8 * len(s.total.counts)
}

// Histogram returns the sum so far, or nil if nothing was added. It is not a copy.
func (s *Sum) Histogram() *Histogram { return s.total }
