// Package redis measures pub/sub or streams of a Redis server, or of anything that
// speaks its protocol, through github.com/redis/go-redis/v9.
//
//	redis://127.0.0.1:6379
//	redis://127.0.0.1:6379?stream=group
//	redis://:password@h:6379/0?reconnect-wait=1s
//	rediss://user:password@h:6379?tls-ca=ca.pem
//	redis+sentinel://h1:26379,h2:26379,h3:26379/mymaster/0?stream=read
//	redis+cluster://h1,h2,h3?stream=read
//	valkey://127.0.0.1:6379
//
// Each scheme is there as valkey, too: only the name of the target differs. Results name the product that the
// server says it is. The path is the number of the database that holds the streams; pub/sub ignores it.
//
// # A round trip
//
// Each connection has two sockets, because a client of RESP 2 that is subscribed can do
// nothing else: one publishes, and one is subscribed to the connection's channel,
// brokerbench.<run>.<connection>. The request itself comes back as the reply. Closing the
// sockets removes the subscription, so nothing is left behind, even if the process is killed.
//
// # The path of a message
//
// It is that of a program that publishes many messages with go-redis. Publish waits for the
// server's reply, so Request copies the message into a queue, and a goroutine sends all that is
// queued in one Pipeline, up to 1,000 messages or 1 MiB. Messages that become due before the
// last reply share the next pipeline. A message that the server refuses fails alone. If the
// connection ends in a pipeline, the messages without a reply are neither acknowledged nor
// failed. At most 128 MiB wait in the queue; beyond that, Request returns an error.
//
// PubSub.Receive takes the replies. PubSub.Channel would drop a message that has not fitted
// into its channel for a minute.
//
// # Messages that do not arrive
//
// PUBLISH returns the number of subscribers that it reached. If that is 0, or if the server
// replies with an error, the message has failed. Request refuses a message that can never
// arrive: one above proto-max-bulk-len, or above the bytes that client-output-buffer-limit
// allows for a subscriber. For that the user must be allowed CONFIG GET. The server disconnects
// a subscriber that is too slow, by default at 32 MiB: that is an event, and the messages that
// waited for the subscriber are lost.
//
// # Outages
//
// While the publisher is disconnected, a request fails at once. Both sockets try to reconnect
// every reconnect-wait, without end and without jitter; each has its own events when it is lost
// and when it is back. A publisher notices at its next message that its connection has ended,
// or, with PING, when the other socket is lost. While the server does not read, messages wait
// in the queue.
//
// # Sentinels
//
// The hosts of redis+sentinel:// and rediss+sentinel:// (TLS to all) are sentinels. The path is
// their name for the master; the number of a database may follow it. Before each connection the
// sentinels are asked for the master, and the server must confirm that it is one. One more
// connection listens to a sentinel: when it announces another master, the sockets to the old
// one, which may be frozen or cut off, are closed. NewFailoverClient of go-redis does the same,
// but it would connect to the sentinels for each socket, and it writes to standard error.
//
// A replica that takes over need not have all messages that were acknowledged: replication is
// asynchronous, and messages that only the old master has are discarded when it comes back as a
// replica. So nothing above accepted is promised unless wait-replicas is the number of all
// replicas.
//
// # Clusters
//
// The hosts of redis+cluster:// and rediss+cluster:// are nodes of a cluster; one is enough. Each connection
// leads to the master of the slot that the name of its stream or channel has: connections 0 to 3, 4 to 7 and
// so on reach three masters with equal shares. Channels are sharded (SPUBLISH, SSUBSCRIBE). The sockets are
// those of go-redis's Client; its ClusterClient, which has one for each server, would repeat
// messages whose reply did not come. The nodes are asked for the slots before each connection and once a
// second, until most masters have answered; the answer with the highest epoch counts, so that a master that is
// cut off is not believed. A connection to a server that has the slot no longer is closed. A message that is
// answered with MOVED is sent again to the other server, at its place in the order, and fails if that cannot be
// reached; after ASK, TRYAGAIN and CLUSTERDOWN it has failed.
//
// # Streams
//
// With stream=read or stream=group, each connection has a stream, a key with the name that the
// channel would have, which Teardown removes. XADD takes the place of PUBLISH, and its reply is
// the acknowledgement. Its meaning depends on the server's appendonly and appendfsync, which
// Describe asks for. A second socket reads with XREAD BLOCK after the last message, or with
// XREADGROUP as the one consumer of a group. The group's messages are acknowledged in one
// pipeline with the next read.
//
// With wait-replicas each pipeline ends with WAIT, and its messages are acknowledged when WAIT
// has counted enough replicas; with wait-fsync, WAITAOF. The server reads nothing more from a
// connection that waits, so messages that are sent meanwhile share the next pipeline: their
// delivery, too, waits for that.
//
// XADD has NOMKSTREAM: a stream that is gone is not created again by the next message, nor by
// one that was still on its way when Teardown removed it. When the publisher or the consumer
// connects again, it creates what is missing, because a server without a file has lost stream
// and group when it is started again; the audit then misses their messages. A consumer of a
// group first reads again the messages that it has not acknowledged.
//
// # Groups of consumers
//
// A topic is a channel or, with stream=group, a stream, to which producers send over the publishing
// socket alone. A member has the other socket: it is subscribed to the channels of all topics, or reads all
// streams with one XREADGROUP, as a consumer of its group. The first connection creates a stream, and the last
// one removes it. The other members claim with XAUTOCLAIM the messages that a member has read and not acknowledged
// for claim-idle. With keys the key chooses the stream, and each stream has one member of a group.
//
// In a cluster the topics are on several servers, so a member has a socket for each topic. There are no keys.
package redis
