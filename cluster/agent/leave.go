package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

const (
	// An agent that hears of no coordinator waits so long for one that goes on, if it has a
	// result. Each machine measured for minutes, and somebody has to see that the coordinator
	// died.
	patience = time.Hour
	// The same of an agent without a result. It is as likely that the run is over and the
	// agent was cut off at that moment, and then it holds its machine for nothing.
	idlePatience = 10 * time.Minute

	leaveTime   = time.Minute             // how long an agent whose user wants it to end offers its result
	hurryTime   = leaveTime / 2           // how long it goes on to audit, and to wait for what is broken: then it delivers
	answerTime  = 3 * time.Second         // how long the last beat may take to be sent, and to be answered
	endTime     = 10 * time.Second        // how long what is under way may take to end
	endOnceTime = 1500 * time.Millisecond // the same of an agent that has to end at once: the command waits for 2 s
)

// errGivenUp is why an agent ended at once.
var errGivenUp = errors.New("it was told to end at once")

// Undelivered is the error of an agent that ended with a result of which no coordinator has
// heard.
type Undelivered struct {
	Dir   string // of the files, which stay there
	Cause error  // why it ended
}

// Error implements error.
func (e *Undelivered) Error() string {
	return fmt.Sprintf("%v: what was measured was not delivered, and is kept in %s", e.Cause, e.Dir)
}

// Unwrap returns the cause.
func (e *Undelivered) Unwrap() error { return e.Cause }

// leave stops what is measured, because the user wants the agent to end.
func (a *Agent) leave() {
	a.mu.Lock()
	a.leaving = time.Now()
	j := a.job
	a.mu.Unlock()
	if j.owes() {
		a.say("it ends once what was measured is delivered, or after %v", leaveTime)
	}
	j.stop("its user ended it")
}

// watch ends what must not go on: an agent that hears of nobody, or that has left.
func (a *Agent) watch(ctx context.Context) error {
	j := a.current()
	owed := j.owes()
	a.mu.Lock()
	over, silent, lease := a.over, time.Since(a.heard), a.lease
	left, hurry := a.left(owed), !a.leaving.IsZero() && time.Since(a.leaving) > hurryTime
	a.mu.Unlock()
	if hurry && j != nil {
		j.hurry()
	}
	limit := patience
	if !owed {
		limit = idlePatience
	}
	switch {
	case over != nil:
		return over
	case left:
		return context.Cause(ctx)
	case silent > limit:
		return fmt.Errorf("no coordinator was heard of for %v", limit)
	case lease == 0 || silent <= lease || j == nil:
		return nil
	}
	switch state := j.reached(); state { //nolint:exhaustive // the others are over
	case wire.Preparing, wire.Prepared, wire.Armed:
		j.stop(fmt.Sprintf("its lease ended: nobody was heard of for %v", lease))
	case wire.Running:
		if !a.link.gone() { // it may be cut off while the others go on without it
			j.stop("its lease ended")
		}
	}
	return nil
}

// left tells whether an agent that leaves may end: the coordinator knows all that it will, or
// does not answer. The caller holds the lock.
func (a *Agent) left(owed bool) bool {
	switch {
	case a.leaving.IsZero():
		return false
	case owed:
		return time.Since(a.leaving) > leaveTime
	case a.free.IsZero():
		a.free = time.Now()
	}
	return a.parted || time.Since(a.free) > answerTime
}

// deserted tells whether nobody was heard of for longer than the lease.
func (a *Agent) deserted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease > 0 && time.Since(a.heard) > a.lease
}

// end ends what is under way. What does not end is left behind: the process ends, too.
func (a *Agent) end() error {
	j := a.current()
	if j == nil {
		return nil
	}
	j.abandon("the agent ends")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-j.ended
		j.release()
	}()
	for giveUp, limit := a.cfg.GiveUp, time.After(endTime); ; {
		select {
		case <-ended:
			return nil
		case <-giveUp:
			giveUp, limit = nil, time.After(endOnceTime)
		case <-limit:
			return fmt.Errorf("what was under way did not end: part %d of %v", j.task.Index+1, j.task.Cell)
		}
	}
}

// keep adds to why the agent ends where its result is, if there is anything of it.
func (a *Agent) keep(why error) error {
	dir := a.current().dir
	if files, _ := os.ReadDir(dir); len(files) == 0 {
		return why
	}
	return &Undelivered{Dir: dir, Cause: why}
}
