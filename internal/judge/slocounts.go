package judge

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
)

// A Second counts the messages that were done in one interval of a window, which is
// about a second long.
type Second struct {
	Over  int64         // messages that broke the limit of an objective
	Of    int64         // all messages
	Worst time.Duration // the longest of their times; 0 without messages
}

// SLOCounts counts, second by second, the messages or users of a cell that broke the limits of its
// objectives. Missing messages are not counted.
type SLOCounts struct {
	Seconds [][]Second             // for each objective of the cell's plan; empty for loss and rate
	Values  []*histogram.Histogram // of the whole window; nil for loss and rate

	objectives []plan.Objective
	users      []plan.User
}

// NewSLOCounts returns empty counts for the objectives of a cell.
func NewSLOCounts(cell plan.Cell) *SLOCounts {
	n := len(cell.SLOs)
	return &SLOCounts{make([][]Second, n), make([]*histogram.Histogram, n), cell.SLOs, cell.Users()}
}

// add adds an interval of the window, or the replies that came after it to the last interval. It
// pauses after each objective. c may be nil.
func (c *SLOCounts) add(interval record.Histograms, late bool, pause func()) {
	if c == nil {
		return
	}
	for i, o := range c.objectives {
		if o.Metric != "" {
			continue
		}
		s := newSecond(interval[c.seriesOf(o)], o)
		if n := len(c.Seconds[i]); late && n > 0 {
			last := &c.Seconds[i][n-1]
			*last = Second{last.Over + s.Over, last.Of + s.Of, max(last.Worst, s.Worst)}
		} else {
			c.Seconds[i] = append(c.Seconds[i], s)
		}
		pause()
	}
}

// End takes the histograms of the whole window; c may be nil.
func (c *SLOCounts) End(t record.Histograms) {
	if c == nil {
		return
	}
	for i, o := range c.objectives {
		if o.Metric == "" {
			c.Values[i] = t[c.seriesOf(o)]
		}
	}
}

func newSecond(h *histogram.Histogram, o plan.Objective) Second {
	if h == nil { // of a system that acknowledges nothing
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
func (c *SLOCounts) seriesOf(o plan.Objective) int {
	if u, sum, ok := plan.UserOf(o.Series); ok {
		worst, sums := record.OfUser(slices.Index(c.users, u))
		if sum {
			return sums
		}
		return worst
	}
	return max(slices.Index(record.Tags[:], o.Series), record.Response)
}
