// Package kafka measures a Kafka cluster, or anything that speaks its protocol,
// through github.com/twmb/franz-go.
//
//	kafka://127.0.0.1:9092
//	kafka://h1:9092,h2:9092?acks=all&replication-factor=3
//	kafka+tls://user:password@h:9093?sasl=scram-sha-512&tls-ca=ca.pem
//
// # What a round trip is
//
// Each connection has a client, and so sockets, of its own and a topic of its
// own, brokerbench.<run>.<connection>, which Setup creates and Teardown deletes.
// A request is produced to the topic, and comes back as the reply when the same
// client fetches it. Partitions are consumed directly, without a group: there is
// no rebalance and no commit. Requests use several partitions in turn.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still
// honest: no linger, acks=1, no idempotence, no compression, and fetches that are
// answered as soon as there is a byte. Five produce requests may be in flight, as
// in the Java client; messages that wait for them share the next one. With more
// than one in flight and no idempotence, a retry may reorder or duplicate
// messages. The engine matches replies by their stamp, so their order does not
// matter, and it counts duplicates separately.
//
// # Outages
//
// A message is retried until it is acknowledged or the run is over, and a broker
// that comes back is found within about 250 ms. So an outage shows as responses as
// long as the outage, and as lost messages if the run ends first. With acks=0
// nothing is acknowledged: what was in the socket when the broker went away is
// lost. A message fails only if the broker refuses it for good, for instance
// because it is too large.
//
// A broker that says nothing at the end is given up on after 3 s; then the topics
// stay, and [Factory.Find] finds them.
//
// # What is acknowledged, and kept
//
// With acks=1 and acks=all the broker's answer to a produce request acknowledges its
// messages. With acks=0 it does not answer, so that nothing is acknowledged, and no one
// looks afterwards for what was. An acknowledgement with acks=1 says that the leader has
// the message, in memory unless flush-messages is 1; consumers get it when all in-sync
// replicas have it. After a run each partition is read from its first offset to its end.
//
// # Transactions
//
// With transactions=each every message is a transaction of its own; with transactions=100ms
// one stays open for so long after its first message. A connection is one producer, whose
// transactional ID is the name of its topic, and a producer has only one transaction at a
// time. While it ends, which takes milliseconds, franz-go takes no message: Request does not
// wait, the messages wait in the connection for the next transaction, bounded as below. That
// time is part of their response, as all waiting is.
//
// A message is acknowledged when the coordinator has answered the commit, not when the broker
// has it. If the broker refuses one, its transaction is aborted, and all that was in it has
// failed. If the answer to a commit never comes, it is not known what became of it: nothing
// was promised, and nothing failed. After an outage of more than five minutes the coordinator
// has aborted what was open, and all further messages fail. Consumers get what is committed, and the audit reads
// that alone; isolation=read_uncommitted delivers a message before its transaction ends, or
// even if it is aborted. How long a commit took is measured, see [Factory.Measured].
// Transactional IDs cannot be deleted: the cluster forgets them after a week.
//
// One producer does 60 to 75 one-message transactions a second: a transaction that begins
// while the one before is being written down waits 20 ms in the broker
// (add.partitions.to.txn.retry.backoff.ms). No setting of the client changes that.
//
// # Share groups
//
// With consumer=share a connection receives through a share group of its own, of one member,
// that has the name of its topic (Kafka 4.2). Its first message takes about three seconds, for
// which Setup waits. What was delivered is accepted with the next fetch. Teardown deletes the
// group with its settings. The acknowledgements are the producer's: those of the group to
// the broker say what was consumed, and promise nothing to who sent it.
//
// # Bounds
//
// At most 128 MiB may wait for an acknowledgement on one connection; beyond that,
// Request blocks.
//
// # Hand-offs
//
// Request does not write to the socket: franz-go does, two goroutines later. At the
// median that takes 60 to 75 µs on a busy machine of two cores, of which Request
// itself takes 5 to 16. It is part of what is measured, as for everybody who uses
// the client; no option of the client avoids it.
package kafka
