// Package amqp1 measures RabbitMQ 4 over AMQP 1.0, which it speaks itself since 4.0, through
// github.com/Azure/go-amqp. brokers/rabbitmq measures it over AMQP 0-9-1.
//
//	amqp1://guest:guest@127.0.0.1:5672
//	amqp1://user:password@h1:5672,h2:5672/vhost?queue-type=quorum&durable=true&confirm=true
//	amqp1s://user:password@h:5671/vhost?tls-ca=ca.pem
//
// The default user and password are guest and guest; the default vhost, also for an
// empty path, is "/". Several hosts are one cluster: each connection takes the next
// one, and tries the others if that one does not answer.
//
// # What a round trip is
//
// Each connection has a queue of its own, brokerbench.<run>.<connection>, which
// Setup declares, by a request to RabbitMQ's management node, and Teardown removes. A
// message is sent to the queue's address, /queues/<name>, in one session, and comes back as
// the reply in another: a session of go-amqp's does nothing else while it writes.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still
// honest, and are those of brokers/rabbitmq where both have them: a transient, exclusive
// queue that the broker deletes with the connection, transient messages, sent and delivered
// settled: nobody waits for anything.
//
// With confirm=true messages are sent unsettled. Nobody waits for their outcome either: a
// round trip still ends with the delivery. That a message is accepted is its
// acknowledgement; one that is rejected or released has failed, with the broker's reason. A
// classic queue may deliver a message before it accepts it.
//
// # Hand-offs
//
// Request copies the message and leaves the rest to a goroutine: go-amqp waits until each
// message is in the socket, and while the broker grants no credit it waits for that, with no
// regard to contexts. So Request never blocks. An alarm of the broker's, of which go-amqp
// does not tell, is seen as long responses. Beyond 128 MiB that wait, messages fail. A message then passes through three
// goroutines of go-amqp, and a reply through three. That is the client's share of a round
// trip, as for everybody who uses it.
//
// One goroutine waits for the outcomes, the oldest first: the broker settles the messages of
// a queue in their order. One message at a time, 1 KiB, until it was accepted and had come
// back: p50 218 µs (194 to 256, eight runs), and 205 µs (182 to 239) with go-amqp alone, whose
// caller waits for the outcome itself. So the two goroutines of this package add some 13 µs.
//
// A message of several frames, which is one above 128 KiB, is sent unsettled even without
// confirm, and its outcome ignored: go-amqp marks only the last frame as settled, and
// RabbitMQ refuses that.
//
// # What is kept
//
// A consumer takes out of a queue what is delivered. What was acknowledged must so be
// delivered or still in the queue: the audit ends what is consumed and then drains the queues.
// Audit and removal go over AMQP 0-9-1: it acknowledges many messages at once, and an alarm
// does not hold it up. It takes confirm=true and
// durable=true. What the broker delivers settled it has forgotten: with accept=false, the
// default, what was on its way when a connection broke is missing. With accept=true it goes
// back to the queue.
//
// A queue that is not exclusive (durable=true) expires when nobody has used it
// for ten minutes, so nothing is left behind by a process that was killed.
//
// # Outages
//
// While the connection is lost, requests fail at once, and another attempt to connect is made
// every reconnect-wait, until Teardown. Messages in an exclusive queue are lost with it; a
// durable queue keeps them. A broker that says nothing for the idle-timeout, or reads nothing
// for so long, is given up: to see a longer stall as a long response, raise it.
package amqp1
