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
// A request is produced to the topic and is its own reply when the same client
// has fetched it again. Partitions are consumed directly, without a group: no
// rebalance, no commit. With several partitions the requests go round them in
// turn.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still
// honest: no linger, acks=1, no idempotence, no compression, a fetch that is
// answered as soon as there is a byte. Five produce requests may be in flight,
// as in the Java client; what waits behind them goes out together in the next
// one. With more than one in flight and no idempotence, a retry may reorder or
// duplicate messages: the engine matches replies by their stamp, so that order
// does not matter to it, and counts duplicates apart.
//
// # Outages
//
// Whatever was requested is tried again until it is acknowledged or the run is
// over, and a broker that comes back is found again within about 250 ms: an
// outage shows as a response as long as the outage, and as lost where the run
// ends first. With acks=0 nothing is acknowledged, so that what was in the
// socket when the broker went away is lost. Only what the broker refuses for
// good, as a message that is too large, is told to have failed.
//
// At most 128 MiB wait for an acknowledgement on one connection; then Request
// blocks.
//
// # Hand-offs
//
// franz-go writes a request not in Request but two goroutines later: 60 to 75 µs
// at the median on a busy machine of two cores, of which Request itself takes 5
// to 16. That is part of what is measured, as it is of what everybody who uses
// the client gets; no option of the client avoids it.
package kafka
