package inject

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// How often the target is asked who leads after a fault: often until another leads, then less
// often until all copies are in step. Each time costs the target a connection. Once the cell is
// over it is asked for settling at most.
const (
	watchOften  = 250 * time.Millisecond
	watchSeldom = time.Second
	settling    = 10 * time.Second
)

// watch notes who leads after a fault, and when all copies are in step again, until that is
// known, the next fault begins, or the cell has been over for a while.
func (b *Breaker) watch(i int, before string, next, healed <-chan struct{}) {
	if b.leads == nil {
		return
	}
	w := watching{fault: b.faults[i], before: before}
	for {
		l, err := b.ask(time.Now().Add(askLimit))
		mended := closed(healed)
		if err == nil && l.Leader != "" {
			b.note(i, func(r *results.Fault) { w.see(r, b.nameOf(l.Leader), l, b.now()) })
		}
		if mended && (w.inStep || !w.degrades(l)) {
			return
		}
		if !b.pause(w.every(), next, &w) {
			return
		}
	}
}

// pause waits until it is time to ask again, and fails when nobody needs to know any more.
func (b *Breaker) pause(d time.Duration, next <-chan struct{}, w *watching) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-next:
		return false
	case <-b.deeds.Done():
		return false
	}
	if !closed(b.over) {
		return true
	}
	if w.last.IsZero() {
		w.last = time.Now().Add(settling)
	}
	return time.Now().Before(w.last)
}

// watching is what is known since a fault.
type watching struct {
	fault    plan.Fault
	before   string // who led; "": not known
	changed  bool   // another one was seen
	degraded bool   // copies were seen that were not in step
	inStep   bool   // and after that none
	last     time.Time
}

func (w *watching) every() time.Duration {
	if w.changed {
		return watchSeldom
	}
	return watchOften
}

// see notes who leads at now.
func (w *watching) see(r *results.Fault, leader string, l requester.Leadership, now int64) {
	if !w.changed {
		r.LeaderAfter = leader
		if w.changed = w.before != "" && leader != w.before; w.changed {
			r.LeaderNS = &now
		}
	}
	switch {
	case l.Copies < 2 || l.InStep == 0: // nothing to be in step with, or not known
	case l.InStep < l.Copies:
		w.degraded = true
	case !w.inStep && (w.degraded || w.ends() && r.HealedNS != nil): // else nobody has noticed yet
		w.inStep = true
		r.RedundantNS = &now
	}
}

// ends tells whether the fault takes a copy away for sure.
func (w *watching) ends() bool { return w.fault.Do == plan.Kill || w.fault.Do == plan.Stop }

// degrades tells whether the copies are to come in step again.
func (w *watching) degrades(l requester.Leadership) bool {
	return (w.degraded || w.ends()) && (l.Copies > 1 || l.Leader == "")
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
