// Package kafka measures a Kafka cluster, or anything that speaks its protocol,
// through github.com/twmb/franz-go.
//
//	kafka://127.0.0.1:9092
//	kafka://h1:9092,h2:9092?acks=all&replication-factor=3
//	kafka+tls://user:password@h:9093?sasl=scram-sha-512&tls-ca=ca.pem
//
// # A round trip
//
// Each connection has its own client, with its own sockets, and its own topic,
// brokerbench.<run>.<connection>, which Setup creates and Teardown deletes. A request is
// produced to the topic, and comes back as the reply when the same client fetches it.
// Partitions are consumed directly, without a group: there is no rebalance and no commit.
// Requests use several partitions in turn.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still honest: no linger,
// acks=1, no idempotence, no compression, and fetches that are answered as soon as there is a
// byte. Five produce requests may be in flight, as in the Java client; messages that wait for
// them share the next one. With more than one in flight and no idempotence, a retry may reorder
// or duplicate messages: the engine matches replies by their stamp and counts duplicates.
//
// Request does not write to the socket: franz-go does, two goroutines later. At the median that
// takes 60 to 75 µs on a busy machine of two cores, 5 to 16 µs of them in Request. It is part of
// the measurement, because every user of the client has it; no option of the client avoids it.
// At most 128 MiB may wait for an acknowledgement on one connection; beyond that, Request
// returns an error.
//
// # Outages
//
// A message is retried until it is acknowledged or the run is over, and a broker that comes
// back is found within about 250 ms. So an outage shows as responses as long as the outage, and
// as lost messages if the run ends first. With acks=0 the messages that are in the socket when
// the broker goes away are lost. A message fails only if the broker refuses it for good, for
// instance because it is too large. A broker that does not answer at the end is given up after
// 3 s; then the topics stay, and [Factory.Find] finds them.
//
// # Acknowledgements
//
// With acks=1 and acks=all the broker's response to a produce request acknowledges its
// messages. With acks=0 there is no response, so no message is acknowledged and there is no
// audit. With acks=1 the leader has the message, in memory unless flush-messages is 1; consumers
// get it when all in-sync replicas have it. An audit reads each partition from its first offset
// to its end.
//
// # Transactions
//
// With transactions=each every message has its own transaction; with transactions=100ms a
// transaction stays open for 100 ms after its first message. A connection is one producer, whose
// transactional ID is the name of its topic, and a producer has only one transaction at a time.
// While it ends, which takes milliseconds, franz-go takes no message: messages wait in the
// connection for the next transaction, and that time is part of their response.
//
// A message is acknowledged when the coordinator has answered the commit, not when the broker
// has the message. If the broker refuses a message, its transaction is aborted, and all messages
// in it fail. If the answer to a commit never comes, its messages neither fail nor are they
// acknowledged. After an outage of more than five minutes the coordinator has aborted the open
// transaction, and all further messages fail. Consumers get committed messages, and the audit
// reads only those; isolation=read_uncommitted delivers a message before its transaction ends,
// or even if it is aborted. [Factory.Measured] has the time that commits took. Transactional IDs
// cannot be deleted: the cluster forgets them after a week.
//
// One producer does 60 to 75 one-message transactions a second: a transaction that begins while
// the one before is being written down waits 20 ms in the broker
// (add.partitions.to.txn.retry.backoff.ms). No setting of the client changes that.
//
// # Share groups
//
// With consumer=share each connection receives as the only member of a share group with the
// name of its topic (Kafka 4.2). The first message takes about three seconds, for which Setup
// waits. Delivered messages are accepted with the next fetch. Teardown deletes the group with
// its settings. Acknowledgements are still those of the producer.
//
// # Groups of consumers
//
// With a topology, see [Factory.TakeTopology], producers share the topics, and the members of a group,
// brokerbench.<run>.<group>, consume from all of them. With consumer=direct it is a consumer group:
// by the classic protocol its members divide the partitions among themselves (cooperative-sticky),
// with group-protocol=consumer the broker does (KIP-848). Offsets are committed every 5 s and
// when a partition moves, as in programs that set nothing. With consumer=share it is a share group,
// whose members may share a partition. The first producer waits until each member has
// partitions; a rebalance after that is an event. The last connection deletes topics and groups.
package kafka
