package inject

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// How often the target is asked for its leader after a fault: often until another node leads, then
// less often until all copies are in step. Each question costs the target a connection. An
// unanswered question does not delay the next one, but their number is bounded.
// Once the cell is over and the fault repaired, they continue for settling.
const (
	sampleOften  = 250 * time.Millisecond
	sampleSeldom = time.Second
	sampleMost   = 8
	settling     = 10 * time.Second
)

// An answer names the leader, and says when the question came, and whether the fault was still being made.
type answer struct {
	requester.Leadership

	early bool
	asked int64
}

// sampleLeader records the leader from the beginning of a fault, and when all copies are in step again. It
// ends when that is known, when the next fault begins, or when everything has been over for a while.
// An orderly stop takes seconds, and the node may hand over its leadership at their beginning.
func (in *Injector) sampleLeader(i int, w *leaderSampler, next <-chan struct{}) {
	if in.leads == nil {
		return
	}
	answers, open := make(chan answer, sampleMost), 0
	for {
		if open < sampleMost {
			open++
			question := answer{early: !closed(w.broken), asked: in.now()}
			in.doing.Go(func() { in.askFor(answers, question) })
		}
		for tick := time.After(w.every()); tick != nil; {
			select {
			case a := <-answers:
				open--
				in.saw(i, w, a)
			case <-tick:
				tick = nil
			case <-next:
				return
			case <-in.actions.Done():
				return
			}
		}
		if closed(w.over) && (!closed(w.broken) || !w.awaits() || closed(in.over) && !w.patient()) {
			return
		}
	}
}

// askFor sends the answer of the target; one without a leader if it does not answer.
func (in *Injector) askFor(answers chan<- answer, a answer) {
	if l, err := in.ask(time.Now().Add(askLimit)); err == nil {
		a.Leadership = l
	}
	answers <- a
}

// saw records the current leader, or that there is none.
func (in *Injector) saw(i int, w *leaderSampler, a answer) {
	in.note(i, func(r *results.Fault) {
		w.miss(r, a)
		if a.Leader != "" {
			w.see(r, in.nameOf(a.Leader), a, in.now())
		}
	})
}

// miss records how long there is no leader.
func (w *leaderSampler) miss(r *results.Fault, a answer) {
	switch {
	case a.Leader == "" && w.without == 0:
		w.without = a.asked
	case a.Leader != "" && w.without > 0 && a.asked > w.without:
		r.LeaderlessNS, w.without = max(r.LeaderlessNS, a.asked-w.without), 0
	}
}

// leaderSampler holds what was seen of the leader since a fault began.
type leaderSampler struct {
	fault  plan.Fault
	before string        // the leader; "": unknown
	by     results.Means // what breaks the network
	broken chan struct{} // closed when the fault is made; never if it cannot be
	over   chan struct{} // closed when it is healed, or could not be made

	without  int64 // since when there is no leader; 0: there is one
	seen     bool  // a leader was seen
	alone    bool  // there are no copies, or whether they are in step is unknown
	changed  bool  // another one was seen
	degraded bool  // copies were seen that were not in step
	inStep   bool  // and after that none
	last     time.Time
}

func (w *leaderSampler) every() time.Duration {
	if w.changed {
		return sampleSeldom
	}
	return sampleOften
}

// see records the leader at now. Until the fault is made, only another leader counts.
func (w *leaderSampler) see(r *results.Fault, leader string, l answer, now int64) {
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
	case w.alone || w.by == results.ByRelay: // there are no copies, or the fault does not separate them
	case l.InStep < l.Copies:
		w.degraded = true
	case !w.inStep && (w.degraded || w.ends() && r.HealedNS != nil): // otherwise the nodes have not noticed yet
		w.inStep = true
		r.RedundantNS = &now
	}
}

// ends tells whether the fault takes a copy away for sure.
func (w *leaderSampler) ends() bool { return w.fault.EndsNode() }

// awaits tells whether there is something to see yet once the fault is healed.
func (w *leaderSampler) awaits() bool {
	return !w.seen || !w.alone && !w.inStep && (w.degraded || w.ends())
}

// patient tells whether it is too early to give up, once all is over.
func (w *leaderSampler) patient() bool {
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
