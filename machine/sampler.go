package machine

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A Sampler says what this process and its machine did between two samples. It is
// for one goroutine at a time. A sample takes well under a millisecond, most of it
// for reading one file for each thread, and does not stop the world. It rests between
// the files, as whoever measures latency wants: each of them takes some 50 µs.
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

// Sample returns what happened since the previous call, or since NewSampler. It calls
// rest between two of the files that it reads. It
// leaves FromNS, ToNS and HiccupMaxNS to the caller. What the system does not show
// is empty. The kernel counts the machine's cores in steps of 10 ms: over a shorter
// time they mean little.
func (s *Sampler) Sample(rest func()) results.Usage {
	at, process, machine := time.Now(), readProcess(), s.proc.counters(rest)
	elapsed := at.Sub(s.at)
	rest()
	u := results.Usage{
		Process: process.since(s.process, elapsed),
		Go:      s.runtime.sinceLast(),
	}
	rest()
	u.Process.ResidentBytes = s.proc.residentBytes()
	u.Process.RunWaitNS = s.waits.sinceLast(s.proc, rest)
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
