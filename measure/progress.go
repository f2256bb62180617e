package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Progress is the progress of a cell. It is shown during a run, and not stored.
type Progress struct {
	Cell     plan.Cell
	Elapsed  time.Duration // since the first message was due
	Total    time.Duration // of warm-up and window; replies may come later
	Section  int           // of a rate that changes, from 1: the percentiles are of this section so far; 0: of the window
	Interval bool          // an interval of the log ends here, about once a second; see Options.ProgressEvery

	Due         int64   // messages due by now, warm-up included, by the schedule: it counts on after an interruption
	Outstanding int64   // of these, the ones that are not done: queued, in flight, failed, or lost
	Done        int64   // messages of the window so far
	Backlog     int64   // messages of a backlog that group 0 does not have; 0 without one
	RateNow     float64 // messages done per second, over the last second or so

	P50, P99, P999, Max time.Duration // of response in the window so far; 0 while Done is 0
	LagP99              time.Duration // of the window so far
	HeldP99             time.Duration // the same
	LagP99Now           time.Duration // of the current interval
	HiccupMax           time.Duration // the longest in the last interval that has ended; 0 without an Observer

	// Verdict is what the rules say of the window so far. The rules that only mean
	// something at the end (missing and stray replies, events, too few samples, hiccups) are
	// not applied. It is as of the last Interval, and "" until a message of the
	// window was done.
	Verdict  results.Verdict
	Problems []results.Problem // its reasons, the gravest first

	// Response holds the response times of the window so far. It may be read during
	// the call only: it changes afterwards.
	Response *histogram.Histogram
}
