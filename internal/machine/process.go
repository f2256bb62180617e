package machine

import (
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// processCounters are the system's counters of this process since it began, including
// threads that have ended.
type processCounters struct {
	user, system           time.Duration
	voluntary, involuntary *int64
}

func (p processCounters) since(before processCounters, elapsed time.Duration) results.ProcessUsage {
	user, system := p.user-before.user, p.system-before.system
	return results.ProcessUsage{
		CPUCores:            cores((user + system).Seconds(), elapsed),
		UserCores:           cores(user.Seconds(), elapsed),
		SystemCores:         cores(system.Seconds(), elapsed),
		VoluntarySwitches:   grown(before.voluntary, p.voluntary),
		InvoluntarySwitches: grown(before.involuntary, p.involuntary),
	}
}
