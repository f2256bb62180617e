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
// By default, nats.go's Publish only fills a buffer and wakes a goroutine, the
// flusher, that writes it: a hand-off of which the sender's due time knows
// nothing. With the buffer's limit at one byte, the option write-buffer=1, which
// is our default, the same Publish writes each message to the socket before it
// returns. write-buffer=32768 is what a program that does not ask gets.
//
// It is a trade. BenchmarkPaced, alternated, client and server on the same 2
// cores, CPU time the same for both:
//
//   - 3,000/s, one connection: three sets of rounds gave a response p50 of 93, 109
//     and 88 µs (medians), with the flusher 112, 116 and 88 µs; one at a time there
//     is no difference.
//   - 20,000/s over 25 connections: in the 8 of 17 rounds that nothing disturbed,
//     107 to 146 µs; the flusher's were 180 µs and more. But all writes are then the
//     sender's: in 9 rounds, others using the machine too, the p50 was 0.5 to
//     451 ms, where the flusher, which writes together what has gathered, stayed at
//     0.2 to 0.6 ms. That the sender got too little CPU is likely, not shown.
//
// Where the generator's lag grows, use more senders, more cores, or
// write-buffer=32768.
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
