package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

const (
	// patience is how long an agent waits for a coordinator: the connection may come back, or
	// `brokerbench resume` goes on with the run. If the run is over and the agent was cut off
	// when it ended, it holds its machine for nothing.
	patience = 10 * time.Minute

	leaveTime   = time.Minute             // how long an agent whose user wants it to end offers its result
	hurryTime   = leaveTime / 2           // how long it goes on to audit, and to wait for repairs: then it delivers
	answerTime  = 3 * time.Second         // how long the last beat may take to be sent, and to be answered
	endTime     = 10 * time.Second        // how long what is under way may take to end
	endOnceTime = 1500 * time.Millisecond // the same of an agent that has to end at once: the command waits for 2 s
)

// errGivenUp is why an agent ended at once.
var errGivenUp = errors.New("it was told to end at once")

// Undelivered is the error of an agent that ended with a result that no coordinator knows of.
type Undelivered struct {
	Dir   string // of the files, which stay there
	Cause error  // why it ended
}

// Error implements error.
func (e *Undelivered) Error() string {
	return fmt.Sprintf("%v: the result was not delivered, and is kept in %s", e.Cause, e.Dir)
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

// watch stops the job of an agent that has lost contact or has left.
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
	switch {
	case over != nil:
		return over
	case left:
		return context.Cause(ctx)
	case silent > patience:
		return fmt.Errorf("no coordinator was heard of for %v", patience)
	case lease == 0 || silent <= lease || j == nil:
		return nil
	}
	if state := j.reached(); state == wire.Preparing || state == wire.Prepared || state == wire.Armed || state == wire.Running {
		j.stop(fmt.Sprintf("its lease ended: the coordinator was silent for %v", lease))
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

// deserted reports whether the agent has had no contact for longer than the lease.
func (a *Agent) deserted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease > 0 && time.Since(a.heard) > a.lease
}

// end ends the current job. It leaves behind a job that does not end, as the process ends too.
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
			return fmt.Errorf("the job did not end: part %d of %v", j.task.Part.Index+1, j.task.Cell)
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
