package measure

import (
	"cmp"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// soonest is the shortest Options.WatchEvery: a look takes 2 ms of a core at
// 20,000/s, see BenchmarkLook.
const soonest = 50 * time.Millisecond

// A watcher tells Options.Watch how far the cell is. It lives on the goroutine of
// the intervals, off the measuring path.
type watcher struct {
	watch  func(Progress)
	cell   plan.Cell
	floor  *results.Floor
	around surroundings

	dues   dues
	marks  []mark        // of the last second, oldest first
	first  mark          // the first of the window
	pace   pace          // of the window so far, until the schedule is over
	judged *results.Cell // as of the last interval; nil before the first
}

// A mark is how many ops were due and done at a moment.
type mark struct {
	at        time.Duration
	due, done int64
}

// A pace is at which rates ops were due and done.
type pace struct{ offered, reached float64 }

// newWatcher returns nil if nobody watches.
func newWatcher(o Options, cell plan.Cell, around surroundings) *watcher {
	if o.Watch == nil {
		return nil
	}
	return &watcher{
		watch: o.Watch, cell: cell, floor: o.Floor, around: around,
		dues: newDues(cell.Schedule(), cell.Shape.Connections), marks: make([]mark, 1),
	}
}

// every returns how often is looked.
func (w *watcher) every(o Options) time.Duration {
	if w == nil || o.WatchEvery <= 0 {
		return period
	}
	return min(max(o.WatchEvery, soonest), period)
}

// tell is called after each look, of which some end an interval.
func (w *watcher) tell(in *intervals, to time.Duration, interval bool) {
	if w == nil {
		return
	}
	w.mark(mark{to, w.dues.until(to), in.totals[response].Count() + in.totals[warmup].Count()})
	if interval && in.totals[response].Count() > 0 {
		w.judged = w.provisional(in)
	}
	w.watch(w.progress(in, to, interval))
}

// mark remembers a mark, and forgets those that the last second does not need.
func (w *watcher) mark(m mark) {
	w.marks = append(w.marks, m)
	for len(w.marks) > 2 && w.marks[1].at <= m.at-period {
		w.marks = w.marks[1:]
	}
	warmup := w.cell.Settings.Warmup
	switch {
	case m.at < warmup || m.at > warmup+w.cell.Settings.Duration:
	case w.first == mark{}:
		w.first = m
	default:
		w.pace = between(w.first, m)
	}
}

func (w *watcher) last() mark { return w.marks[len(w.marks)-1] }

// rate returns the ops done per second over the marks that are remembered.
func (w *watcher) rate() float64 { return between(w.marks[0], w.last()).reached }

func between(a, b mark) pace {
	seconds := cmp.Or(max(b.at-a.at, 0).Seconds(), 1)
	return pace{float64(b.due-a.due) / seconds, float64(b.done-a.done) / seconds}
}
