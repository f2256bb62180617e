package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A lookout watches nodes once a second while others send the messages.
type lookout struct {
	*watching

	over, ended chan struct{}
}

// newLookout begins to watch when the schedule begins.
func newLookout(nodes Nodes, folder *results.CellFolder, cell plan.Cell, start time.Time) (*lookout, error) {
	w, err := newWatching(nodes, folder)
	if err != nil {
		return nil, err
	}
	l := &lookout{w, make(chan struct{}), make(chan struct{})}
	window := span{cell.Settings.Warmup, cell.Settings.Warmup + cell.Settings.Duration}
	go l.watch(start, window)
	return l, nil
}

// watch takes an interval at every whole second of the schedule.
func (l *lookout) watch(start time.Time, window span) {
	defer close(l.ended)
	if !l.until(start) {
		return
	}
	l.begin(start)
	for from := time.Duration(0); ; {
		goesOn := l.until(start.Add(from - from%period + period))
		to := time.Since(start)
		l.take(from, to, func() {})
		l.keep(from, to, window)
		if from = to; !goesOn {
			return
		}
	}
}

// until waits for a moment, and tells whether the lookout goes on.
func (l *lookout) until(at time.Time) bool {
	select {
	case <-l.over:
		return false
	case <-time.After(time.Until(at)):
		return true
	}
}

// stop ends it. It may be called again.
func (l *lookout) stop() {
	select {
	case <-l.over:
	default:
		close(l.over)
	}
	<-l.ended
}
