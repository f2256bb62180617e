// Package machine says what this process and its machine did while something was
// measured: a Sampler counts CPU, waits for a core, memory, Go's own pauses, and
// what everything else on the machine took; ObserveHiccups meters how long this
// process was not running although it wanted to.
//
// Everything is known on Linux. Elsewhere it is the process's CPU time and, but
// for Windows, its context switches, what Go counts, and hiccups; the rest is left
// empty.
package machine
