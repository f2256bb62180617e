package load

import (
	"context"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

const (
	expiryPeriod = 100 * time.Millisecond // how often slots of unanswered ops are freed
	drainPeriod  = 5 * time.Millisecond   // how often supervise checks whether all ops are settled
	farewell     = time.Second            // how long an interrupted run waits for replies
)

// supervise waits until the run is over: the schedule has been walked and every
// op is settled, or the timeout has passed since the last due. It returns
// whether ctx ended it before. It never calls Request, so nothing that the system
// under test does holds it up.
func (r *run) supervise(ctx context.Context) (interrupted bool) {
	last := r.cfg.Schedule.Duration
	r.dueTill = last
	deadline := last + r.cfg.Timeout
	interrupt, walked, period := ctx.Done(), r.walked, min(expiryPeriod, r.cfg.Timeout)
	for next := last; ; {
		select {
		case <-interrupt:
			now := r.now()
			interrupted, r.dueTill = true, min(now, last)
			r.until.Store(int64(r.dueTill))
			deadline = min(deadline, now+farewell)
			interrupt = nil
		case <-r.hooks.GiveUp:
			interrupted, r.dueTill = true, min(r.now(), r.dueTill)
			return interrupted
		case <-walked:
			walked, period = nil, drainPeriod
		case <-time.After(min(period, max(0, min(deadline, next)-r.now()))):
		}
		if r.cfg.Schedule.Arrivals == schedule.Poisson {
			r.countDues(min(r.now(), r.dueTill)) // of others a formula tells
		}
		next = r.expire()
		if over := walked == nil && r.idle(); over || r.now() >= deadline {
			return interrupted
		}
	}
}

// expire frees slots that have been held for longer than the timeout, and
// returns when the next one will have been. Ops that waited for them are sent from another
// goroutine: one for each connection at most, since no other claims a
// connection whose Request blocks.
func (r *run) expire() (next time.Duration) {
	first := never
	before := r.now() - r.cfg.Timeout
	for _, c := range r.conns {
		oldest, claimed := c.expireBefore(before)
		first = min(first, oldest)
		if claimed {
			go r.sendQueued(c)
		}
	}
	if first > math.MaxInt64-r.cfg.Timeout {
		return never
	}
	return first + r.cfg.Timeout
}

// idle reports whether every op that was due is settled.
func (r *run) idle() bool {
	for _, c := range r.conns {
		if !c.idle() {
			return false
		}
	}
	return true
}
