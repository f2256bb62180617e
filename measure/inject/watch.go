package inject

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// How often the target is asked who leads after a fault: often until another leads, then less
// often until all copies are in step. Each time costs the target a connection. A question that
// is not answered does not keep the next one from being asked, but there are so many at most.
// Once the cell is over and the fault mended, they go on for settling.
const (
	watchOften  = 250 * time.Millisecond
	watchSeldom = time.Second
	watchMost   = 8
	settling    = 10 * time.Second
)

// An answer is who leads, and whether that was asked while the fault was still being made.
type answer struct {
	requester.Leadership

	early bool
}

// watch notes who leads from the moment on in which a fault begins, and when all copies are in
// step again, until that is known, the next fault begins, or all has been over for a while. A
// node that stops in good order takes seconds, and may hand on what it leads at their beginning.
func (b *Breaker) watch(i int, w *watching, next <-chan struct{}) {
	if b.leads == nil {
		return
	}
	answers, open := make(chan answer, watchMost), 0
	for {
		if open < watchMost {
			open++
			early := !closed(w.broken)
			b.doing.Go(func() { b.askFor(answers, early) })
		}
		for tick := time.After(w.every()); tick != nil; {
			select {
			case a := <-answers:
				open--
				b.saw(i, w, a)
			case <-tick:
				tick = nil
			case <-next:
				return
			case <-b.deeds.Done():
				return
			}
		}
		if closed(w.over) && (!closed(w.broken) || !w.awaits() || closed(b.over) && !w.patient()) {
			return
		}
	}
}

// askFor passes on who leads; nobody, if nobody answers.
func (b *Breaker) askFor(answers chan<- answer, early bool) {
	l, err := b.ask(time.Now().Add(askLimit))
	if err != nil {
		l = requester.Leadership{}
	}
	answers <- answer{l, early}
}

// saw notes who leads now, if anybody does.
func (b *Breaker) saw(i int, w *watching, a answer) {
	if a.Leader != "" {
		b.note(i, func(r *results.Fault) { w.see(r, b.nameOf(a.Leader), a, b.now()) })
	}
}

// watching is what is known since a fault began.
type watching struct {
	fault  plan.Fault
	before string        // who led; "": not known
	by     results.Means // what breaks the network
	broken chan struct{} // closed when the fault is made; never if it cannot be
	over   chan struct{} // closed when it is mended, or could not be made

	seen     bool // somebody was seen who leads
	alone    bool // there are no copies, or it is not known whether they are in step
	changed  bool // another one was seen
	degraded bool // copies were seen that were not in step
	inStep   bool // and after that none
	last     time.Time
}

func newWatching(f plan.Fault, before string, by results.Means) *watching {
	return &watching{fault: f, before: before, by: by, broken: make(chan struct{}), over: make(chan struct{})}
}

func (w *watching) every() time.Duration {
	if w.changed {
		return watchSeldom
	}
	return watchOften
}

// see notes who leads at now. Until the fault is made, only another one counts: that the same
// still leads says nothing of what comes.
func (w *watching) see(r *results.Fault, leader string, l answer, now int64) {
	if l.early && (w.before == "" || leader == w.before) {
		return
	}
	w.seen, w.alone = true, l.Copies < 2 || l.InStep == 0
	if !w.changed {
		r.LeaderAfter = leader
		if w.changed = w.before != "" && leader != w.before; w.changed {
			r.LeaderNS = &now
		}
	}
	switch {
	case w.alone || w.by == results.ByRelay: // nothing to be in step with, or nothing comes between copies
	case l.InStep < l.Copies:
		w.degraded = true
	case !w.inStep && (w.degraded || w.ends() && r.HealedNS != nil): // else nobody has noticed yet
		w.inStep = true
		r.RedundantNS = &now
	}
}

// ends tells whether the fault takes a copy away for sure.
func (w *watching) ends() bool { return w.fault.Do == plan.Kill || w.fault.Do == plan.Stop }

// awaits tells whether there is something to see yet once the fault is mended.
func (w *watching) awaits() bool {
	return !w.seen || !w.alone && !w.inStep && (w.degraded || w.ends())
}

// patient tells whether it is too early to give up, once all is over.
func (w *watching) patient() bool {
	if w.last.IsZero() {
		w.last = time.Now().Add(settling)
	}
	return time.Now().Before(w.last)
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
