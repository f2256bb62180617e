package process

import "time"

// Counters are what the system has counted of a process since it began, and what it holds
// now. What is not to be seen is nil.
type Counters struct {
	CPU                     *time.Duration // user and system, also of threads that have ended
	Resident, Read, Written *int64         // bytes: in memory now; from disks and to disks
}
