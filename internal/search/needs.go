package search

import (
	"math"
	"time"
)

// needs returns about how long the whole search would take if everything goes on as it did: the
// probes that find the way, and those that decide about a rate on each side. It is longer than
// the search was allowed; 0 if it cannot be told.
func (t track) needs() time.Duration {
	s := t.survey()
	w, _ := t.next()
	if w.rate == 0 {
		return 0
	}
	more := t.deciding(w.rate)
	if more == 0 {
		return 0
	}
	probe := t.cfg.window(w.rate) + t.seen.extra
	if !w.decide {
		more += time.Duration(t.way(s)) * probe
	}
	switch {
	case w.rate == s.high && s.low > s.kept:
		more += t.deciding(s.low)
	case w.rate != s.high && s.missed == 0:
		more += leastProbes * probe
	}
	return max(t.seen.spent+more, t.cfg.AtMost+probe)
}

// deciding returns how much longer a rate must be measured until it is decided; 0 if that
// cannot be told.
func (t track) deciding(rate int) time.Duration {
	e := t.at(rate)
	longer := e.longer()
	if e.enough && (longer == 0 || e.uneven()) {
		return 0
	}
	probes := max(t.seen.needed(t.objective)-len(e.answers), 1)
	if longer == 0 {
		longer = t.cfg.Least(t.cfg.Objectives[t.objective], rate) - e.length
	}
	return max(longer, time.Duration(probes)*t.cfg.window(rate)) + time.Duration(probes)*t.seen.extra
}

// way returns about how many probes still find the way.
func (t track) way(s bracket) int {
	low := max(s.low, t.cfg.From)
	if s.high == 0 {
		ahead := t.cfg
		ahead.From = low
		return ahead.Probes()
	}
	ratio := math.Log(float64(s.high) / float64(low))
	return int(math.Ceil(max(math.Log2(max(ratio, 1e-9)/math.Log1p(t.cfg.Precision)), 0)))
}
