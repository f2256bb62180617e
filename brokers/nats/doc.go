// Package nats measures a NATS server, core messaging without JetStream, through
// github.com/nats-io/nats.go.
//
//	nats://127.0.0.1:4222
//	nats://user:password@h1:4222,h2:4222?reconnect-wait=1s
//	nats+tls://:token@h:4222?tls-ca=ca.pem
//
// tls is another name of nats+tls. A user or a password alone is a token; write
// it as the password, with a colon in front, to keep it out of sight. With
// several hosts every connection takes the first that answers.
//
// # What a round trip is
//
// Each connection is a client of its own that subscribes to a subject of its
// own, brokerbench.<run>.<connection>, and publishes to it: a request is its own
// reply when the server has sent it back. Closing the connection removes the
// subscription, so that nothing is left behind, even by a process that is
// killed.
//
// # Who writes to the socket
//
// nats.go's Publish fills a buffer and wakes a goroutine, the flusher, that writes
// it: a hand-off of which the sender's due time knows nothing. With the buffer's
// limit at one byte, the option write-buffer=1, the same Publish writes each
// message to the socket before it returns. The default is nats.go's own, 32768:
// what a program that does not ask gets.
//
// It is a trade. Alternated, client and server on the same 2 cores, response p50 ·
// p99 of three rounds each:
//
//   - 3,000/s, one connection: flusher 81 · 221, 78 · 278, 74 · 240 µs; itself
//     74 · 1,410, 73 · 221, 77 · 352 µs: no difference shown;
//   - 20,000/s over 25 connections: flusher 0.29 · 15, 0.19 · 2.1, 0.22 · 3.4 ms;
//     itself 0.39 · 47, 0.11 · 16, 0.12 · 22 ms: a better median, until the sender
//     gets too little CPU for a write each, which on two cores it does.
//
// With cores to spare, try write-buffer=1.
//
// A reply passes through one hand-off, from nats.go's reader to the goroutine of
// the subscription; its API offers no other way.
//
// # Back-pressure
//
// nats.go has no limit to what waits for our handler (its default drops messages
// of a slow consumer), and no deadline for a write: when the server does not
// read, Request blocks in the socket until it does, the context of the request
// is done, or Teardown. A write that is cut off so ends the connection, which
// nats.go then makes anew.
//
// # Outages
//
// While disconnected, a request fails at once: an outage is seen as ops that
// failed, for as long as it lasts. nats.go would by default keep 8 MiB of
// messages and send them afterwards; the option reconnect-buffer does so. It
// tries to reconnect every reconnect-wait, without end and without jitter. What
// was in the sockets or in the server when the connection broke is lost: core
// NATS acknowledges nothing. Disconnects and reconnects are noted as events.
package nats
