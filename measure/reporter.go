package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// soonest is the shortest Options.ProgressEvery: a report takes 2 ms of a core at
// 20,000/s, see BenchmarkStep.
const soonest = 50 * time.Millisecond

// A reporter reports progress to Options.Progress. It lives on the goroutine of
// the intervals, off the measuring path.
type reporter struct {
	callback func(Progress)
	cell     plan.Cell
	cores    float64
	analysis Analysis // nil: none
	pause    func()

	recording *recording
	section   func(to time.Duration) *section // that is under way
	observed  *selfSampler

	left func() int64 // messages of a backlog
	rates
	dues   record.Dues
	judged *results.Cell // as of the last interval; nil before the first message of the window is done
}

// newReporter returns nil without a callback for progress.
func newReporter(s *session, in *intervals) *reporter {
	if s.o.Progress == nil {
		return nil
	}
	return &reporter{
		callback: s.o.Progress, left: s.backlog.Left, cell: s.cell, cores: s.cores, analysis: in.analysis, pause: in.pacer.pause, recording: &in.recording, section: in.at,
		observed: in.observed, rates: rates{points: make([]point, 1)}, dues: record.NewDues(record.Config(s.whole, s.o.Part)),
	}
}

// every returns the time between two reports.
func (r *reporter) every(o Options) time.Duration {
	if r == nil || o.ProgressEvery <= 0 {
		return period
	}
	return min(max(o.ProgressEvery, soonest), period)
}

// report reports how far the cell is at the offset to; interval tells whether an
// interval ends there.
func (r *reporter) report(to time.Duration, interval bool) {
	if r == nil {
		return
	}
	t := r.recording.totals
	r.add(point{to, r.dues.Until(to), t[record.Response].Count() + t[record.Warmup].Count()}, r.cell.Settings)
	if interval && r.analysis != nil && t[record.Response].Count() > 0 {
		r.judged = r.provisional()
		r.pause()
	}
	r.callback(r.progress(to, interval))
}

// progress sums up the cell so far.
func (r *reporter) progress(to time.Duration, interval bool) Progress {
	shown, cell, now := r.recording, r.cell, r.last()
	if s := r.section(to); s != nil {
		shown, cell = &s.recording, s.cell
	}
	h := shown.totals[record.Response]
	p := Progress{
		Cell: r.cell, Section: cell.Shape.Section, Elapsed: to, Total: r.cell.Settings.Warmup + r.cell.Settings.Duration, Interval: interval,
		Due: now.due, Outstanding: max(now.due-now.done, 0), Done: r.recording.totals[record.Response].Count(), RateNow: r.now(),
		P50: h.Quantile(50), P99: h.Quantile(99), P999: h.Quantile(99.9), Max: h.Max(),
		LagP99: shown.totals[record.Lag].Quantile(99), LagP99Now: r.recording.current[record.Lag].Quantile(99),
		Backlog:  r.left(),
		HeldP99:  shown.totals[record.Held].Quantile(99),
		Response: h,
	}
	if r.observed != nil {
		p.HiccupMax = r.observed.current.Max()
	}
	if r.judged != nil {
		p.Verdict, p.Problems = r.judged.Verdict, r.judged.Problems
	}
	return p
}

// provisional returns a result of the messages so far, with its verdict.
func (r *reporter) provisional() *results.Cell {
	c := &results.Cell{Plan: r.cell, UsableCores: r.cores}
	for s, d := range [...]*results.Distribution{record.Response: &c.Response, record.Service: &c.Service, record.Lag: &c.Lag, record.Held: &c.Held} {
		*d = results.RanksOf(r.recording.totals[s], 0)
		r.pause()
	}
	if r.paced() {
		c.OfferedPerS, c.ReachedPerS = r.pace.offered, r.pace.reached
	}
	c.Usage = r.observed.usage()
	r.analysis.Provisional(c)
	return c
}

// settled is how much of the window must be over before its rate is known: before, a few messages
// in flight are a per cent of all.
const settled = 3 * time.Second

// paced tells whether the rate can be judged yet. In bursts it cannot: whether
// the last burst has come back depends on the moment.
func (r *reporter) paced() bool {
	return !r.cell.Shape.Arrivals.InBursts() && r.last().at-r.first.at >= settled
}
