// Package redis measures pub/sub or streams of a Redis server, or of anything that
// speaks its protocol, through github.com/redis/go-redis/v9.
//
//	redis://127.0.0.1:6379
//	redis://127.0.0.1:6379?stream=group
//	redis://:password@h:6379/0?reconnect-wait=1s
//	rediss://user:password@h:6379?tls-ca=ca.pem
//	redis+sentinel://h1:26379,h2:26379,h3:26379/mymaster/0?stream=read
//
// The path is the number of a database, in which streams are. It makes no difference to
// pub/sub.
//
// # What a round trip is
//
// Each connection has two sockets, because a client of RESP 2 that is subscribed
// can do nothing else: one that publishes and one that is subscribed to a channel
// of the connection's own, brokerbench.<run>.<connection>. The request itself comes
// back as the reply. Closing the sockets removes the subscription, so nothing is
// left behind, even if the process is killed.
//
// # Who writes to the socket
//
// go-redis makes both connections: TLS, HELLO, AUTH, SELECT, CLIENT SETNAME,
// SUBSCRIBE. It also decodes what arrives. But it cannot send PUBLISH as the engine
// needs it: its Publish waits for the reply, and a pipeline or its AutoPipeline
// puts another goroutine between due and socket. So go-redis makes the publishing
// connection and proves it with a PUBLISH; then this package takes the socket over.
// Request writes each command in one write, and a goroutine reads the replies.
//
// BenchmarkPipelined does the same with a goroutine that pipelines through
// go-redis. Response p50 of the pipeline against ours, medians of five alternated
// rounds with client and server on the same 2 cores: 81 against 59 µs at 3,000/s
// (p99 540 against 181), 213 against 88 at 20,000/s over 25 connections, 75 against
// 65 one at a time. RESP 2 and 3 do not differ beyond the noise.
//
// A goroutine of ours takes replies with PubSub.Receive. PubSub.Channel would drop
// a message that has not fitted into its channel for a minute.
//
// # Messages that do not arrive
//
// PUBLISH returns the number of subscribers that it reached. If that is 0, or if
// the server answers with an error, the message has failed, with the cause. Request
// refuses a message that can never arrive: one above proto-max-bulk-len, or above
// what client-output-buffer-limit lets wait for a subscriber. For that the user
// must be allowed CONFIG GET. The server disconnects a subscriber that is too slow,
// by default at 32 MiB: that is an event, and what waited for it is lost.
//
// # Outages
//
// While the publisher is disconnected, a request fails at once. Both sockets try
// to reconnect every reconnect-wait, without end and without jitter; each has its
// own events when it is lost and when it is back. While the server does not read,
// Request blocks in the socket until the server reads, the request's context is
// done, or Teardown. A write that was cut off ends the connection, and a new one is
// made.
//
// # Sentinels
//
// The hosts of redis+sentinel:// (and rediss+sentinel://, TLS to all) are sentinels, and the
// path is their name for the master, behind which the number of a database may stand. The
// first of them that answers is asked for the master before each connection, and who is
// connected proves that it is one. One more connection listens to a sentinel: when it says
// that another is the master, the sockets to the old one are closed, which may stand still, or
// be cut off. It is what go-redis's NewFailoverClient does, made of its SentinelClient: that
// one would have connections of its own to sentinels for each socket, and writes to standard
// error.
//
// A replica that takes over need not have what was acknowledged: replication is asynchronous,
// and what the old master had alone is thrown away when it comes back as a replica. So nothing
// above accepted is promised unless wait-replicas is the number of all replicas.
//
// # Streams
//
// With stream=read or stream=group, each connection has a stream of its own, a key
// named as the channel would be, which Teardown removes. Request writes XADD as it
// writes PUBLISH. The reply is the acknowledgement; what it promises is up to the
// server's appendonly and appendfsync, which Describe asks for. A second socket reads
// with XREAD BLOCK from the last message on, or with XREADGROUP as the one consumer of
// a group. The group's messages are acknowledged together with the next read, in one
// write.
//
// With wait-replicas, WAIT is written behind XADD, and a message is acknowledged when
// it has counted enough replicas; with wait-fsync, WAITAOF. The server reads nothing
// more from a connection that waits. So one such command is outstanding at a time, and
// messages that are sent meanwhile share the next: their delivery, too, waits for that.
//
// XADD has NOMKSTREAM: a stream that is gone is not made again by the next message, nor
// by one that was still on its way when Teardown removed it. When the publisher or the
// consumer connects again, it makes what is not there, because a server without a file
// has lost stream and group when it is started again; the audit then misses what was in
// them. A consumer of a group first takes again what it has not acknowledged.
package redis
