// Package redis measures pub/sub of a Redis server, or of anything that speaks
// its protocol, through github.com/redis/go-redis/v9.
//
//	redis://127.0.0.1:6379
//	redis://:password@h:6379/0?reconnect-wait=1s
//	rediss://user:password@h:6379?tls-ca=ca.pem
//
// The path is the number of a database, on which pub/sub does not depend.
//
// # What a round trip is
//
// Each connection has two sockets, because a client of RESP 2 that is subscribed
// can do nothing else: one that publishes and one that is subscribed to a channel
// of the connection's own, brokerbench.<run>.<connection>. A request is its own
// reply when the server has delivered it. Closing the sockets removes the
// subscription, so that nothing is left behind, even by a process that is killed.
//
// # Who writes to the socket
//
// go-redis makes both connections: TLS, HELLO, AUTH, SELECT, CLIENT SETNAME,
// SUBSCRIBE; and it decodes what arrives. Only PUBLISH it cannot send as the
// engine needs it: its Publish waits for its own reply, and a pipeline, or its
// AutoPipeline, is another goroutine between due and socket. So the publishing
// connection, held by a redis.Conn and with the socket from a Dialer, is taken over
// once go-redis has proved it with a PUBLISH of its own: Request writes the
// command, in one write, and a goroutine reads the replies. BenchmarkPipelined is
// the same with a goroutine that pipelines through go-redis, for comparison:
// response p50 at 3,000/s 81 µs against 59 µs, at 20,000/s over 25 connections 213
// against 88, one at a time 75 against 65 (medians of five, alternated, client and
// server on the same 2 cores), p99 at 3,000/s 540 against 181. RESP 2 and 3 do not
// differ beyond the noise.
//
// Replies are taken with PubSub.Receive in a goroutine of ours, which has no
// channel behind it: PubSub.Channel drops what does not fit for a minute.
//
// # What is lost is told
//
// PUBLISH says how many it reached. If that is nobody, or if the server answers
// with an error, the op has failed, and says why. A message that can never arrive,
// longer than proto-max-bulk-len or than client-output-buffer-limit allows to wait
// for a subscriber, is refused by Request, if the user may ask for these settings
// with CONFIG GET. A subscriber that is too slow is disconnected by the server, at
// 32 MiB by default: that is noted, and what waited for it is lost.
//
// # Outages
//
// While the publisher is disconnected, a request fails at once. Both sockets try
// to reconnect every reconnect-wait, without end and without jitter; an outage of
// one of them is noted when it begins and when it ends. While the server does not
// read, Request blocks in the socket until it does, the context of the request is
// done, or Teardown; a write that is cut off so ends the connection, which is then
// made anew.
package redis
