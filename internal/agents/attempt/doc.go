// Package attempt decides what the coordinator of agents does for one attempt to measure
// a cell: when the agents prepare, agree on their clocks, begin, and which of them are
// lost. It has no clock, no network and no goroutine: it is told what happened and when,
// and says what to do. Times are offsets on the coordinator's own monotonic clock.
//
//	preparing ─► syncing ─► arming ─► running ─► measured
//	    │           │          │         │
//	    └───────────┴──────────┴─────────┴──► stopping ─► given up, broken, interrupted
//
// All is repeated until the reports show that it was heard: reports and orders may be
// lost, late or doubled.
package attempt
