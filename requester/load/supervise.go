package load

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

const (
	expiryPeriod = 100 * time.Millisecond // how often slots of unanswered ops are freed
	drainPeriod  = 5 * time.Millisecond   // how often supervise checks whether all ops are settled
	farewell     = time.Second            // how long an interrupted run waits for replies
	unblock      = 5 * time.Second        // how long Request may take to return after its ctx is done
)

// supervise waits until the run is over: the schedule has been walked and every
// op is settled, or the timeout has passed since the last due. It returns
// whether ctx ended it before.
func (r *run) supervise(ctx context.Context) (interrupted bool) {
	last := r.cfg.Schedule.Duration
	r.dueTill = last
	deadline := last + r.cfg.Timeout
	interrupt, walked, period := ctx.Done(), r.walked, min(expiryPeriod, r.cfg.Timeout)
	for next := last; ; {
		select {
		case <-interrupt:
			if now := r.now(); now < last {
				interrupted, r.dueTill = true, now
				r.until.Store(int64(now))
			}
			deadline = min(deadline, r.now()+farewell)
			interrupt = nil
		case <-walked:
			walked, period = nil, drainPeriod
		case <-time.After(min(period, max(0, min(deadline, next)-r.now()))):
		}
		next = r.expire()
		if over := walked == nil && r.idle(); over || r.now() >= deadline {
			return interrupted
		}
	}
}

// expire frees slots that have been held for longer than the timeout, and
// returns when the next one will have been.
func (r *run) expire() (next time.Duration) {
	oldest := time.Duration(math.MaxInt64) - r.cfg.Timeout
	before := r.now() - r.cfg.Timeout
	for _, c := range r.conns {
		oldest = min(oldest, c.expire(before))
	}
	return oldest + r.cfg.Timeout
}

// idle tells whether every op that was due is settled.
func (r *run) idle() bool {
	for _, c := range r.conns {
		if !c.idle() {
			return false
		}
	}
	return true
}

// finish ends the senders, also one that is blocked in Request, closes the
// connections' books, and completes the ledgers.
func (r *run) finish() {
	r.ended = r.now()
	r.until.Store(-1)
	for _, c := range r.conns {
		c.close()
	}
	r.cancel()
	r.joinSenders()
	late := make(map[*conn]uint64)
	for _, s := range r.senders {
		for c, n := range s.merge.late(r.dueTill) {
			late[c] += n
		}
	}
	for _, c := range r.conns {
		for c.recording.Load() > 0 {
			runtime.Gosched()
		}
		c.tally(late[c])
	}
}

// joinSenders waits for the senders. A requester that does not return from
// Request although its ctx is done is torn down under it, which ends that.
func (r *run) joinSenders() {
	select {
	case <-r.walked:
	case <-time.After(unblock):
		r.teardown(context.Background())
		<-r.walked
	}
}

// teardown tears down every connection and returns the events of all. It has a
// time limit of its own, since ctx may have ended.
func (r *run) teardown(ctx context.Context) []requester.Event {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), teardownTimeout)
	defer cancel()
	var mu sync.Mutex
	var events []requester.Event
	_ = r.each(func(c *conn) error {
		err := c.teardown(ctx)
		mu.Lock()
		defer mu.Unlock()
		events = append(events, c.events()...)
		if err != nil {
			events = append(events, requester.Event{At: time.Now(), Text: fmt.Sprintf("connection %d: tearing down: %v", c.index, err)})
		}
		return nil
	})
	sortEvents(events)
	return events
}
