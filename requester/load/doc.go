// Package load is the open-loop engine: it sends what is due when it is due,
// whatever the system under test does, and follows every op to its end.
//
// How an op goes, and who touches it:
//
//	sender (one locked thread)        reply (any goroutine)
//	  merge: which connection is next
//	  body: write stamp and content
//	  waiter: sleep, then spin to Due
//	  conn.arrive: slot free? Sent ──► Requester ──► conn.reply: Done
//	               else queued                          settle, free the slot,
//	                                                    send what is queued
//	                                                    Recorder.Record
//
// Due and Sent of an op in flight live in its connection's ring, keyed by
// sequence: whose reply is this, was it seen before, which are missing. A queued
// op needs no memory: queued are the sequences between the last sent and the
// last due, and a second cursor on the schedule says when each was due.
package load
