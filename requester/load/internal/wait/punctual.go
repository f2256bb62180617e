package wait

import "time"

// A Punctual sender loses no time itself: it calls Request when an op is due, or
// as soon as the Request before has returned. So it tells how long the ops of a real
// sender are held up by calls of Request alone; their wait beyond that is the real
// sender's lag. It is Lindley's recursion (Proc. Camb. Phil. Soc. 48, 1952) with the
// calls as service times. The zero value has sent nothing.
type Punctual struct {
	free time.Duration // when its last Request returns
}

// Held returns how long the op that is due next waits for the calls before it.
func (p *Punctual) Held(due time.Duration) time.Duration { return max(0, p.free-due) }

// Called adds the call for an op, which took so long.
func (p *Punctual) Called(due, took time.Duration) { p.free = max(p.free, due) + took }
