package agent

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A coordinator that resumes a run gets the result from its first chunk, whether another one took
// all of it or none, and the agent measures the next task as soon as it is told to.
func TestAResultIsDeliveredAgain(t *testing.T) {
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, sends(time.Second))
			s.full = full
			s.begin(t.Context())
			s.prepare("1")
			if full {
				s.wants("1", wire.Done)
			} else {
				s.wants("1", wire.Delivered)
			}
			time.Sleep(time.Minute + sendPause/3) // between two attempts to send
			s.mu.Lock()
			s.full, s.stored = false, 0
			s.mu.Unlock()
			s.tell(wire.Order{Kind: wire.Deliver, Key: "0"}) // of another attempt
			s.tell(wire.Order{Kind: wire.Deliver, Key: "1"})
			time.Sleep(time.Second)
			if b := s.last(); b.State != wire.Delivered || b.Result == nil || s.stored != 1 {
				t.Errorf("%d chunks came again: %+v", s.stored, b)
			}
			begun := time.Now()
			s.prepare("2")
			s.wants("2", wire.Delivered)
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("the next task took %v", took)
			}
			s.tell(wire.Order{Kind: wire.Bye})
			s.end(nil)
		})
	}
}
