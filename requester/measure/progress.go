package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester/plan"
)

// A Progress is how far a cell is, for watching: not for the record.
type Progress struct {
	Cell    plan.Cell
	Elapsed time.Duration // since the first due
	Total   time.Duration // of warm-up and window; replies may come later
	Done    int64         // ops of the window so far
	RateNow float64       // ops done per second in the last interval
	P50     time.Duration // of response in the window so far
	P99     time.Duration
	Max     time.Duration
}

// progress sums up the cell so far.
func (in *intervals) progress(to time.Duration) Progress {
	h := in.totals[response]
	done := in.taken[response].Count() + in.taken[warmup].Count()
	return Progress{
		Cell: in.cell, Elapsed: to, Total: in.cell.Settings.Warmup + in.cell.Settings.Duration,
		Done: h.Count(), RateNow: float64(done) / max((to-in.from).Seconds(), 1e-9),
		P50: at(h, 50), P99: at(h, 99), Max: h.Max(),
	}
}

func at(h *histogram.Histogram, p float64) time.Duration {
	v, _, _ := h.QuantileOf(p, h.Count())
	return v
}
