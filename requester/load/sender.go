package load

import (
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/requester/load/internal/wait"
)

// stopLatency is how long it takes a sender at most to stop.
const stopLatency = 50 * time.Millisecond

// sender walks the merged schedule of its connections and sends what is due.
type sender struct {
	run      *run
	merge    merge
	punctual wait.Punctual
	returned time.Duration // when its last Request returned, or earlier
}

// walk sends until the schedule ends or the run stops. It locks its thread for
// good: the waiter changes that thread's timer slack, so the thread must end
// with the goroutine.
func (s *sender) walk() {
	runtime.LockOSThread()
	begun := wait.ThreadTime()
	defer func() { s.run.sendersCPU.Add(int64(wait.ThreadTime() - begun)) }()
	waiter := s.run.cfg.NewWaiter(s.run.start)
	buffer := make([]byte, s.run.cfg.Size)
	for {
		c, due, ok := s.merge.next()
		if !ok {
			return
		}
		payload := s.run.body.Fill(buffer, c.stamp(c.dues)) // only this goroutine changes dues
		if !s.await(waiter, due) {
			return
		}
		s.send(c, due, payload)
		s.merge.take()
	}
}

// send sends an op that is due on a connection, and follows how long that takes.
func (s *sender) send(c *conn, due time.Duration, payload []byte) {
	sent, returned := c.arrive(due, s.punctual.Held(due), payload)
	s.punctual.Called(due, returned-sent)
	c.alone.Called(due, returned-sent)
	s.returned = returned
}

// await waits for due, in steps short enough to stop when the run ends first. It
// returns false then. An op that was due before the end is sent, however late.
func (s *sender) await(waiter Waiter, due time.Duration) bool {
	for now := s.returned; ; now = s.run.now() {
		if int64(due) > s.run.until.Load() {
			return false
		}
		step := min(due, now+stopLatency)
		waiter.Until(step)
		if step == due {
			return int64(due) <= s.run.until.Load()
		}
	}
}
