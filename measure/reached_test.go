package measure

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// One message of 10,000 that comes three seconds after the window does not make the rate a lower one.
func TestOneLateReplyDoesNotLowerTheRate(t *testing.T) {
	for _, delay := range []time.Duration{ms, 500 * ms} {
		system := loopback.Config{Delay: delay, Slow: []loopback.Phase{{At: 10_900 * ms, For: ms / 2, Delay: 3 * time.Second}}}
		c := virtual(t, system, cellOf(1000, 10*time.Second), Options{})
		if p, found := c.Problem(results.CodeRate); found || c.ReachedPerS < 999 || c.ReachedPerS > 1000 || c.Response.MaxNS != int64(3*time.Second) {
			t.Errorf("delay %v: reached %.1f/s, longest %v, %+v", delay, c.ReachedPerS, time.Duration(c.Response.MaxNS), p)
		}
	}
	// A target that stands still at the end was behind.
	c := virtual(t, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 10 * time.Second, For: 2 * time.Second}}}, cellOf(1000, 10*time.Second), Options{})
	if c.ReachedPerS < 890 || c.ReachedPerS > 925 {
		t.Errorf("stood still at the end: reached %.1f/s", c.ReachedPerS)
	}
}
