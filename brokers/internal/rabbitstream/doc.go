// Package rabbitstream measures RabbitMQ streams over their own protocol, through
// github.com/rabbitmq/rabbitmq-stream-go-client.
//
//	rabbitmq-stream://guest:guest@127.0.0.1:5552
//	rabbitmq-stream://user:password@h1:5552,h2:5552/vhost?batch-size=100
//	rabbitmq-stream+tls://user:password@h:5551/vhost?tls-ca=ca.pem
//
// The default user and password are guest and guest; the default vhost, also for an
// empty path, is "/". The broker needs its plugin rabbitmq_stream, and for messages of
// 1 MiB and more a larger stream.frame_max. Several hosts are one cluster: each connection
// takes the next one, and tries the others if that one does not answer. The client then
// connects to the nodes that lead the streams, at the hosts that the broker advertises; with
// load-balancer=true it connects to the URL's host only.
//
// # Round trip
//
// Setup creates a stream for each connection, brokerbench.<run>.<connection>, and Teardown
// removes it. A shared stream would deliver every message to every connection: a stream has no
// subjects. A request is published on one socket of the client and comes back on another, to a
// consumer from the stream's first message; a third socket finds the nodes of streams. The
// client shares none of them. A reply and a confirm pass through two goroutines of the client each.
//
// The broker confirms each message once it is in the file of the stream, on a cluster in those
// of most nodes: that is the acknowledgement, which the client does not wait for. Streams are
// never synced to the disk: a confirmed message survives the death of the broker's process, but
// that of its machine only if other nodes have it. A message that the broker refuses has failed.
//
// # Groups of consumers
//
// A topic is a stream, which the first connection creates and the last removes. Each group has one member, with
// a consumer, and so a socket, for each stream.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still honest. With
// batch-size=1, Request writes each message to the socket itself (BatchSend of one). With
// more, it hands messages to a goroutine of the client, which sends all queued messages together
// and never waits for more. Sub-entries pack several messages into one entry of the stream.
//
// Credit decides the latency of deliveries. A broker before 4.2.1 pauses for 1 ms or more
// whenever a connection has sent all its chunks (timer:sleep(1) in rabbit_stream_reader,
// removed by rabbitmq-server#14766), and again after each grant of credit. The client's strategy
// grants credit for each chunk, which holds one message at low rates: two pauses a message, some
// hundred messages a second, and above that a queue that grows. With credits=1000, granted when
// a quarter is used, one pause delivers all messages that came during the last one.
// credit-each=true shows the difference.
//
// The client's defaults for the sockets' buffers, 8 KiB, are not used. Over loopback a packet
// may be larger than such a receive buffer: then 0.1 MB/s are delivered, five messages of 16 KiB
// a second. With such a send buffer a message of 1 MiB takes 0.6 s, instead of 3 ms.
//
// # Outages
//
// The client's own recovery is not used: it retries a dead broker with pauses of seconds that
// cannot be interrupted. While a connection is lost, requests fail at once, and another attempt
// to connect is made every reconnect-wait, until Teardown. Then the consumer continues after the
// last message that came. Messages that were not confirmed are not sent again: they come
// back, or they are lost.
//
// The client takes no contexts. Before each of its connections, a handshake of this package
// finds out in time whether the broker answers; a write that hangs is ended by closing the
// client's socket. A call that does not end in time continues in the background, for at most
// 10 s, or until the broker is back.
//
// The client logs to Go's standard logger and cannot turn that off: [Mute] drops its lines.
package rabbitstream
