// Package load is the open-loop engine. It sends each op when it is due, whatever
// the system under test does, and follows every op to its end.
//
// The path of an op, and which goroutine is on it:
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
// Due and Sent of an op in flight are in its connection's ring, by sequence. The
// ring says to which op a reply belongs, whether it is a duplicate, and which ops
// are missing. A queued op needs no memory: the queue is the sequences between the
// last sent and the last due, and a second cursor on the schedule says when each
// was due.
package load
