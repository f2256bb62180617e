package machine

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

// hiccupPeriod is how often the meter wakes up, jHiccup's default. It takes 2 to
// 4 % of a core.
const hiccupPeriod = time.Millisecond

// WatchHiccups meters how long this process was not running although it wanted
// to, until stop is called: the idea of Gil Tene's jHiccup. A goroutine on a
// thread of its own asks the kernel to be woken at every whole millisecond since
// the call and records how late it was. What it suffers, whoever sends suffers
// too: another process on the core, the hypervisor, a stop of the world, Go's
// scheduler with no processor to spare.
//
// There is exactly one value for each millisecond that was due. After a stall of
// 10.3 ms those are 10.3, 9.3, … and 0.3 ms: what somebody who came at each of
// the moments missed would have waited. An ordinary wake-up's lateness, tens of
// microseconds, is recorded as it is. jHiccup subtracts the shortest one seen,
// because it measures how long a sleep took; here the wake-up is asked for at an
// absolute time, and being late for it is what a sender is, too.
//
// record is called from that one goroutine, never after stop has returned. It
// should take far less than a millisecond: what it takes shows as a hiccup. stop
// waits for one or two more wake-ups, so that nothing due before it is missing,
// and may be called again.
func WatchHiccups(record func(time.Duration)) (stop func()) {
	return watchHiccups(hiccupWaiter, record)
}

func watchHiccups(newWaiter load.NewWaiter, record func(time.Duration)) (stop func()) {
	m := &meter{start: time.Now(), due: hiccupPeriod, record: record}
	ended := make(chan struct{})
	var stopped atomic.Bool
	go func() {
		defer close(ended)
		// For good: the waiter changes the thread's timer slack, so the thread
		// must end with the goroutine.
		runtime.LockOSThread()
		m.waiter = newWaiter(m.start)
		for over := false; !over; {
			over = stopped.Load() // before the step, which records all that was due until then
			m.step()
		}
	}()
	return func() {
		stopped.Store(true)
		<-ended
	}
}

// meter wakes up at every whole period since start.
type meter struct {
	start  time.Time
	waiter load.Waiter
	due    time.Duration // the next wake-up
	record func(time.Duration)
}

// step waits for the next wake-up and records how late it was, and how late all
// those are that became due meanwhile. It allocates nothing.
func (m *meter) step() {
	m.waiter.Until(m.due)
	for now := time.Since(m.start); m.due <= now; m.due += hiccupPeriod {
		m.record(now - m.due)
	}
}
