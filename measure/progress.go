package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Progress is how far a cell is, for watching: not for the record.
type Progress struct {
	Cell     plan.Cell
	Elapsed  time.Duration // since the first due
	Total    time.Duration // of warm-up and window; replies may come later
	Interval bool          // an interval of the log ends here, about once a second; false between, see Options.WatchEvery

	Due         int64   // ops that were due by now, warm-up included, counted from the schedule: after an interruption it still counts
	Outstanding int64   // of these, those that are not done: queued, in flight, failed, or lost
	Done        int64   // ops of the window so far
	RateNow     float64 // ops done per second, over the last second or so

	P50, P99, P999, Max time.Duration // of response in the window so far; 0 while Done is 0
	LagP99              time.Duration // of the window so far
	LagP99Now           time.Duration // of the current interval
	HiccupMax           time.Duration // the longest in the last interval that has ended; 0 without an Observer

	// Verdict is what the rules would say of the window so far, but for those that
	// mean something only at the end (missing and stray replies, events, too few
	// samples). It is as of the last Interval; "" before the first in which an op of
	// the window was done.
	Verdict  results.Verdict
	Problems []results.Problem // its reasons, the gravest first

	// Response holds the response times of the window so far. It is not the
	// callee's: it may be read during the call, and changes afterwards.
	Response *histogram.Histogram
}

// progress sums up the cell so far.
func (w *watcher) progress(in *intervals, to time.Duration, interval bool) Progress {
	h, now := in.totals[response], w.last()
	p := Progress{
		Cell: w.cell, Elapsed: to, Total: w.cell.Settings.Warmup + w.cell.Settings.Duration, Interval: interval,
		Due: now.due, Outstanding: max(now.due-now.done, 0), Done: h.Count(), RateNow: w.rate(),
		P50: h.Quantile(50), P99: h.Quantile(99), P999: h.Quantile(99.9), Max: h.Max(),
		LagP99: in.totals[lag].Quantile(99), LagP99Now: in.taken[lag].Quantile(99),
		Response: h,
	}
	if in.seen != nil {
		p.HiccupMax = in.seen.taken.Max()
	}
	if w.judged != nil {
		p.Verdict, p.Problems = w.judged.Verdict, w.judged.Problems
	}
	return p
}
