// Package nats measures a NATS server, core messaging or a JetStream stream, through
// github.com/nats-io/nats.go.
//
//	nats://127.0.0.1:4222
//	nats://127.0.0.1:4222?stream=file&replicas=3
//	nats://user:password@h1:4222,h2:4222?reconnect-wait=1s
//	nats+tls://:token@h:4222?tls-ca=ca.pem
//
// The schemes tls and nats+tls mean the same. A user or a password alone is a
// token; write it as the password, with a colon in front, and it is never printed.
// If there are several hosts, each connection takes the first that answers.
//
// # What a round trip is
//
// Each connection is a client of its own that subscribes to a subject of its
// own, brokerbench.<run>.<connection>, and publishes to it: the request itself
// comes back as the reply. Closing the connection removes the subscription, so
// nothing is left behind, even if the process is killed.
//
// # Streams
//
// With the option stream=file or stream=memory the messages go through a JetStream stream,
// brokerbench_<run>_0, which the first connection makes and the last removes. Each
// connection publishes to its own subject without waiting for acknowledgements (nats.go's
// PublishMsgAsync), and consumes that subject with a consumer of its own: ordered, which
// acknowledges nothing, or pull or push, which acknowledge each message to the server.
//
// The acknowledgement of a message (PubAck) says that the stream has it; what that survives
// is the server's configuration: with stream=memory nothing, with stream=file the end of
// the server's process, and with sync_interval: always a loss of power. nats.go hands
// acknowledgements and messages over from different goroutines, so which of the two is
// seen first says nothing of the server.
//
// When the run is over, an audit reads the stream from its first message to its last with
// an ordered consumer of another connection. What a killed run leaves, clean removes.
//
// # Who writes to the socket
//
// nats.go's Publish fills a buffer and wakes a goroutine, the flusher, that writes
// it to the socket. With a limit of one byte, the option write-buffer=1, Publish
// itself writes each message to the socket before it returns. The default is that
// of nats.go, 32768: what a program gets that sets nothing.
//
// Neither is always better. Response p50 · p99 in three rounds each, alternated,
// with client and server on the same 2 cores:
//
//   - 3,000/s, one connection: flusher 81 · 221, 78 · 278, 74 · 240 µs; itself
//     74 · 1,410, 73 · 221, 77 · 352 µs: no difference shown;
//   - 20,000/s over 25 connections: flusher 0.29 · 15, 0.19 · 2.1, 0.22 · 3.4 ms;
//     itself 0.39 · 47, 0.11 · 16, 0.12 · 22 ms: a better median, as long as the
//     sender gets enough CPU for a write each, which it does not on two cores.
//
// If there are cores to spare, try write-buffer=1.
//
// A reply is handed over once, from nats.go's reader to the goroutine of the
// subscription. Its API offers no other way.
//
// # Back-pressure
//
// Any number of messages may wait for our handler (by default nats.go drops some
// when the consumer is slow), and a write has no deadline. When the server does
// not read, Request blocks in the socket until the server reads, the request's
// context is done, or Teardown. A write that was cut off ends the connection, and
// nats.go makes a new one.
//
// # Outages
//
// While disconnected, every request fails at once, so an outage shows as failed
// messages. By default nats.go would keep 8 MiB of messages and send them later;
// the option reconnect-buffer does that. nats.go tries to reconnect every
// reconnect-wait, without end and without jitter. What was in the sockets or in
// the server when the connection broke is lost, because core NATS acknowledges
// nothing. Disconnects and reconnects are events.
package nats
