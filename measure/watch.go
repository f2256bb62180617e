package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
)

// A Second counts the messages that were done in one interval of a window, which is
// about a second long.
type Second struct {
	Over  int64         // messages that broke the limit of an objective
	Of    int64         // all messages
	Worst time.Duration // the longest of their times; 0 without messages
}

// A Watch says, second by second, how many messages of a cell broke the limits of its
// objectives. [Session.Watch] fills it in. Messages that are missing are not in it.
type Watch struct {
	Seconds [][]Second             // for each objective of the cell's plan; empty for loss and rate
	Values  []*histogram.Histogram // of the whole window; nil for loss and rate

	objectives []plan.Objective
}

// begin says which cell is watched.
func (w *Watch) begin(cell plan.Cell) {
	w.objectives = cell.SLOs
	w.Seconds, w.Values = make([][]Second, len(cell.SLOs)), make([]*histogram.Histogram, len(cell.SLOs))
}

// add adds an interval of the window, with a rest after each objective; w may be nil.
func (w *Watch) add(interval totals, rest func()) {
	w.each(interval, func(i int, s Second) {
		w.Seconds[i] = append(w.Seconds[i], s)
		rest()
	})
}

// extend adds the replies that came after the window to its last interval; w may be
// nil.
func (w *Watch) extend(interval totals) {
	w.each(interval, func(i int, s Second) {
		if len(w.Seconds[i]) == 0 {
			w.Seconds[i] = append(w.Seconds[i], s)
			return
		}
		last := &w.Seconds[i][len(w.Seconds[i])-1]
		last.Over, last.Of, last.Worst = last.Over+s.Over, last.Of+s.Of, max(last.Worst, s.Worst)
	})
}

// end takes the histograms of the whole window; w may be nil.
func (w *Watch) end(t totals) {
	if w == nil {
		return
	}
	for i, o := range w.objectives {
		if o.Metric == "" {
			w.Values[i] = t[seriesOf(o)]
		}
	}
}

// each counts an interval for each objective that limits a time.
func (w *Watch) each(interval totals, take func(i int, s Second)) {
	if w == nil {
		return
	}
	for i, o := range w.objectives {
		if o.Metric == "" {
			take(i, newSecond(interval[seriesOf(o)], o))
		}
	}
}

func newSecond(h *histogram.Histogram, o plan.Objective) Second {
	if h == nil { // a system that acknowledges nothing
		return Second{}
	}
	s := Second{Of: h.Count()}
	if s.Of > 0 {
		s.Worst = h.Max()
	}
	for v, count := range h.Buckets() {
		if !o.Holds(float64(v)) {
			s.Over += count
		}
	}
	return s
}

// seriesOf returns the series that an objective limits.
func seriesOf(o plan.Objective) int {
	for s, tag := range tags {
		if tag == o.Series {
			return s
		}
	}
	return response
}
