// Package nats measures a NATS server, core messaging or a JetStream stream, through
// github.com/nats-io/nats.go.
//
//	nats://127.0.0.1:4222?stream=file&replicas=3
//	nats://user:password@h1:4222,h2:4222?reconnect-wait=1s
//	nats+tls://:token@h:4222?tls-ca=ca.pem
//
// The schemes tls and nats+tls mean the same. A user or a password alone is a token; write it as
// the password, with a colon in front, and it is never printed. If there are several hosts,
// each connection takes the first that answers.
//
// Each connection is a client that subscribes to one subject, brokerbench.<run>.<connection>, and
// publishes to it. Closing the connection removes the subscription.
//
// With stream=file or stream=memory the messages go through a JetStream stream,
// brokerbench_<run>_0, which the first connection makes and the last removes. Each connection
// publishes without waiting for acknowledgements (PublishMsgAsync), and consumes its subject
// with a consumer: ordered, which acknowledges nothing, or pull or push, which acknowledge each
// message. PubAck is the acknowledgement of a message. nats.go passes on acknowledgements and
// messages from different goroutines, so their order says nothing about the server. The audit
// reads the stream from its first message to its last, over another connection.
//
// With groups of consumers the subjects are those of the topics, to which all connections publish. A
// group is a queue group, or with a stream a durable consumer (consumer=pull) that its members share. With keys the
// key is the last token of a subject, and each topic has one member of a group.
//
// Publish fills a buffer, and a goroutine of nats.go, the flusher, writes it to the socket: that
// is the default of programs that set nothing. With write-buffer=1 Publish itself writes each
// message. On two cores this made no difference at 3,000/s; at 20,000/s over 25 connections it
// had a better median and a much worse p99. With cores to spare, try it.
//
// Any number of messages may wait for our handler, and a write has no deadline: when the server
// does not read, Request blocks until the server reads, the context is done, or Teardown.
//
// While disconnected, every request fails at once; with reconnect-buffer nats.go keeps messages
// and sends them later. It tries to reconnect every reconnect-wait, without end and without
// jitter. Messages that were in the sockets are lost, because core NATS acknowledges nothing.
package nats
