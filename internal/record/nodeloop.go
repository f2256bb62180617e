package record

import (
	"sync"
	"time"
)

// A NodeLoop samples nodes once a second while other processes send the messages.
type NodeLoop struct {
	*NodeSampler

	stop  func() // may be called again
	over  chan struct{}
	ended sync.WaitGroup
}

// NewNodeLoop begins to sample when the schedule begins.
func NewNodeLoop(s *NodeSampler, start time.Time) *NodeLoop {
	l := &NodeLoop{NodeSampler: s, over: make(chan struct{})}
	l.stop = sync.OnceFunc(func() { close(l.over) })
	l.ended.Go(func() { l.loop(start) })
	return l
}

// loop takes an interval at every whole second of the schedule.
func (l *NodeLoop) loop(start time.Time) {
	if !l.until(start) {
		return
	}
	l.Begin(start)
	for from := time.Duration(0); ; {
		goesOn := l.until(start.Add(from - from%Period + Period))
		to := time.Since(start)
		l.Take(from, to, func() {})
		if from = to; !goesOn {
			return
		}
	}
}

// until waits for a moment, and reports whether the loop goes on.
func (l *NodeLoop) until(at time.Time) bool {
	select {
	case <-l.over:
		return false
	case <-time.After(time.Until(at)):
		return true
	}
}

// Stop ends the loop. It may be called again.
func (l *NodeLoop) Stop() {
	l.stop()
	l.ended.Wait()
}
