package machine

import "github.com/prometheus/procfs"

// threadWaits follows how long each thread of this process has waited for a core,
// in nanoseconds.
type threadWaits struct {
	last map[int]int64 // thread → all its waits until the last sample
}

// threadsAtATime are read without a pause: some 20 µs each.
const threadsAtATime = 5

// sinceLast returns how long the threads that exist waited since the last sample;
// nil if the kernel does not show it. The waits of threads that ended in between
// are lost, so the sum may be too small. It is never negative: each thread is
// compared with itself.
func (w *threadWaits) sinceLast(p proc, pause func()) *int64 {
	now := p.threadWaits(pause)
	last := w.last
	w.last = now
	if now == nil || last == nil {
		return nil
	}
	var sum int64
	for thread, wait := range now {
		before := last[thread] // 0 if the thread is new
		if wait < before {     // the number of a thread that ended, given to a new one
			before = 0
		}
		sum += wait - before
	}
	return &sum
}

// threadWaits reads the waits of every thread; nil if none can be read.
func (p proc) threadWaits(pause func()) map[int]int64 {
	if !p.ok {
		return nil
	}
	threads, ok := Attempt(func() (procfs.Procs, error) { return p.fs.AllThreads(p.self.PID) })
	if !ok {
		return nil
	}
	var waits map[int]int64
	for i, thread := range threads {
		if i%threadsAtATime == 0 {
			pause()
		}
		stat, ok := Attempt(thread.Schedstat)
		if !ok {
			continue // it has ended, or the kernel keeps no such file
		}
		if waits == nil {
			waits = make(map[int]int64, len(threads))
		}
		waits[thread.PID] = int64(stat.WaitingNanoseconds)
	}
	return waits
}
