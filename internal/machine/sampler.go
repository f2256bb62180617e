package machine

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A Sampler counts what this process and its machine used between two samples. It is
// for one goroutine at a time. A sample takes well under a millisecond, most of it
// for reading one file for each thread, and does not stop the world. It pauses between
// the files, so that it delays no message for long: each file takes some 50 µs.
type Sampler struct {
	proc    proc
	waits   threadWaits
	runtime goRuntime

	at      time.Time // of the last sample
	process processCounters
	machine *machineCounters
}

// NewSampler makes a sampler and takes the first sample. It starts nothing.
func NewSampler() *Sampler { return newSampler("/") }

// newSampler makes a sampler of the /proc below a root folder.
func newSampler(root string) *Sampler {
	s := &Sampler{proc: openProc(root), runtime: newGoRuntime()}
	s.Sample(func() {})
	return s
}

// ObserveHiccups is the function of that name: a Sampler implements measure.Observer.
func (*Sampler) ObserveHiccups(record func(time.Duration)) (stop func()) {
	return ObserveHiccups(record)
}

// Sample returns the use since the previous call, or since NewSampler. It calls pause
// between two of the files that it reads, and leaves FromNS, ToNS and HiccupMaxNS to the
// caller. Numbers that the system does not show are nil. The kernel counts the machine's
// cores in steps of 10 ms: over a shorter time they mean little.
func (s *Sampler) Sample(pause func()) results.Usage {
	at, process, machine := time.Now(), readProcess(), s.proc.counters(pause)
	elapsed := at.Sub(s.at)
	pause()
	u := results.Usage{
		Process: process.since(s.process, elapsed),
		Go:      s.runtime.sinceLast(),
	}
	pause()
	u.Process.ResidentBytes = s.proc.residentBytes()
	u.Process.RunWaitNS = s.waits.sinceLast(s.proc, pause)
	if machine != nil && s.machine != nil {
		u.Machine = machine.since(*s.machine, elapsed)
	}
	s.at, s.process, s.machine = at, process, machine
	return u
}

// cores returns how many cores used that many CPU seconds, to a millionth.
func cores(seconds float64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return max(0, math.Round(1e6*seconds/elapsed.Seconds())/1e6)
}

// grown returns by how much a counter grew: unknown if one of the readings is,
// and never negative.
func grown(before, now *int64) *int64 {
	if before == nil || now == nil {
		return nil
	}
	return new(max(0, *now-*before))
}
