// Package machine observes this process and its machine while something is
// measured. A Sampler counts CPU, waits for a core, memory, Go's own pauses, and
// the use of the machine by everything else. ObserveHiccups measures how long this
// process was runnable but not scheduled.
//
// On Linux everything is known. Elsewhere the process's CPU time, what Go counts,
// and hiccups are known, and except on Windows the process's context switches; the
// rest is empty.
package machine
