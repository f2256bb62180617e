package machine

import (
	"sync/atomic"
	"time"
)

// HiccupPeriod is how often the meter of hiccups wakes up: jHiccup's default.
const HiccupPeriod = time.Millisecond

// ObserveHiccups measures how long this process was runnable but not scheduled,
// until stop is called; the idea is that of Gil Tene's jHiccup. A goroutine asks
// the kernel to wake it at every whole millisecond since the call and records how
// late it woke up. It is woken as a reply is, through Go's poller, so a reply is
// delayed by the same causes: another process on the core, the hypervisor, a stop
// of the world, Go's scheduler without a processor to spare.
//
// It does not lock a thread: a thread that sleeps in the kernel keeps its Go
// processor until the runtime takes it away, up to 10 ms later, and with as many
// such threads as processors replies wait that long (package load's sender is
// one).
//
// There is exactly one value for each millisecond. A stall of 10.3 ms gives 10.3,
// 9.3, … and 0.3 ms: the waits of callers that arrive at each moment that was
// missed. The lateness of an ordinary wake-up, tens of microseconds, is recorded as
// it is. jHiccup subtracts the shortest value, because it measures how long a sleep
// took; here lateness is counted from the moment that was due, as everywhere else
// in this module.
//
// record is called from that one goroutine, never after stop has returned. It must
// take far less than a millisecond: a slow record is measured as a hiccup. stop
// waits for one or two more wake-ups, so that nothing due before it is missing. It
// may be called again.
func ObserveHiccups(record func(time.Duration)) (stop func()) {
	return observeHiccups(newAlarm(), record)
}

func observeHiccups(a alarm, record func(time.Duration)) (stop func()) {
	m := &meter{start: time.Now(), due: HiccupPeriod, alarm: a, record: record}
	ended := make(chan struct{})
	var stopped atomic.Bool
	go func() {
		defer close(ended)
		defer a.close()
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

// A meter wakes up at every whole period since start.
type meter struct {
	start  time.Time
	due    time.Duration // the next wake-up
	alarm  alarm
	record func(time.Duration)
}

// step waits for the next wake-up and records how late it was, and the lateness of
// all wake-ups that became due meanwhile. It allocates nothing.
func (m *meter) step() {
	// Each wait is what is left until due, so errors do not add up.
	for left := m.due - time.Since(m.start); left > 0; left = m.due - time.Since(m.start) {
		m.alarm.wait(left)
	}
	for now := time.Since(m.start); m.due <= now; m.due += HiccupPeriod {
		m.record(now - m.due)
	}
}

// An alarm wakes the goroutine that waits for it.
type alarm interface {
	wait(left time.Duration)
	close()
}

// sleep waits with time.Sleep: up to a millisecond and more too late in real time
// (golang/go#53824), exact in the virtual time of testing/synctest.
type sleep struct{}

func (sleep) wait(left time.Duration) { time.Sleep(left) }
func (sleep) close()                  {}
