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
	began   time.Time
	last    atomic.Int64 // when it beat last, in nanoseconds since it began
	longest atomic.Int64 // until then
	stop    chan struct{}
}

// beatEvery is how often a Pulse beats.
const beatEvery = 5 * time.Millisecond

// Beat starts a pulse. The caller calls Stop.
func Beat() *Pulse {
	p := &Pulse{began: time.Now(), stop: make(chan struct{})}
	go func() {
		for {
			select {
			case <-p.stop:
				return
			case <-time.After(beatEvery):
			}
			now := int64(time.Since(p.began))
			p.longest.Store(max(p.longest.Load(), now-p.last.Load()-int64(beatEvery)))
			p.last.Store(now)
		}
	}()
	return p
}

// Still returns the longest time for which the process did not run, until now. The
// beat that is due counts, too: a goroutine that asks right after a standstill may be scheduled
// before the pulse.
func (p *Pulse) Still() time.Duration {
	last := p.last.Load() // first: what came before it is in longest by then
	return time.Duration(max(p.longest.Load(), int64(time.Since(p.began))-last-int64(beatEvery)))
}

// Stop ends the pulse, after which Still means nothing.
func (p *Pulse) Stop() { close(p.stop) }
