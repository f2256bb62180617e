package loopback

import (
	"sync/atomic"
	"time"
)

// A Record is what a system wrote down of a run, perhaps in another process.
type Record struct {
	Notes Notes
	Began time.Duration // when the first message came, from which Config counts; since the notes' epoch
	Wall  int64         // when the epoch was: see WallOf
	Still time.Duration // the longest time for which the process did not run
}

// Record returns what a system wrote down that began at a moment and stood still for
// that long at most.
func (j *Journal) Record(began time.Time, still time.Duration) Record {
	return Record{j.Notes(), began.Sub(j.epoch), WallOf(j.epoch), still}
}

// WallOf returns when a moment was by the wall clock as it is set now, in
// nanoseconds since 1970. Two processes whose moments lie on the same monotonic
// clock get the same distance between them, if the clock is not set in between: on
// Linux to about 100 ns, elsewhere to the step of the coarser clock.
func WallOf(moment time.Time) int64 {
	var latest int64
	for range 20 {
		// The wall clock is read first, so an interruption between the two readings
		// makes the difference smaller, as does a wall clock that moves in steps.
		now := time.Now()
		latest = max(latest, now.UnixNano()-int64(now.Sub(moment)))
		time.Sleep(time.Millisecond)
	}
	return latest
}

// A Pulse tells whether the process stood still: it wakes up every few
// milliseconds and keeps by how much it was late at most. Make one with Beat.
type Pulse struct {
	longest atomic.Int64
	stop    chan struct{}
}

// beatEvery is how often a Pulse beats.
const beatEvery = 5 * time.Millisecond

// Beat starts a pulse. The caller calls Stop.
func Beat() *Pulse {
	p := &Pulse{stop: make(chan struct{})}
	go func() {
		for last := time.Now(); ; {
			select {
			case <-p.stop:
				return
			case <-time.After(beatEvery):
			}
			now := time.Now()
			p.longest.Store(max(p.longest.Load(), int64(now.Sub(last)-beatEvery)))
			last = now
		}
	}()
	return p
}

// Still returns the longest time for which the process did not run, until now.
func (p *Pulse) Still() time.Duration { return time.Duration(p.longest.Load()) }

// Stop ends the pulse.
func (p *Pulse) Stop() { close(p.stop) }
