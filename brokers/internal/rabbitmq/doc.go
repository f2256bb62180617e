// Package rabbitmq measures a RabbitMQ broker, or any other that speaks AMQP 0-9-1 as it does,
// through github.com/rabbitmq/amqp091-go.
//
//	amqp://guest:guest@127.0.0.1:5672
//	amqp://user:password@h1:5672,h2:5672/vhost?queue-type=quorum&durable=true&confirm=true
//	amqps://user:password@h:5671/vhost?tls-ca=ca.pem
//
// The default user and password are guest and guest; the default vhost, also for an
// empty path, is "/". Several hosts are one cluster: each connection takes the next
// one, and tries the others if that one does not answer.
//
// # Round trip
//
// Setup declares a queue for each connection, brokerbench.<run>.<connection>, and Teardown
// removes it. A request is published through the default exchange on one channel, and comes back
// on another. Both channels share a connection. RabbitMQ recommends two, because the broker stops
// reading from one that publishes too fast: then acknowledgements (option prefetch) wait behind
// the requests. A second connection (option separate-connections) showed no gain at 3,000/s of
// 1 KiB, at 100/s of 1 MiB, or at 20,000/s over 25 connections.
//
// Request writes to the socket itself, in a single write up to 4 KiB. A reply passes through
// three goroutines of amqp091-go and this package.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still honest: a transient,
// exclusive queue that the broker deletes with the connection, transient messages, automatic
// acknowledgement, no confirms. Messages are mandatory: one that reaches no queue has failed
// instead of being lost, at no measurable cost.
//
// With confirm=true the confirm is the acknowledgement of a message, and a message that the
// broker rejects has failed. A round trip still ends with the delivery, which may come before
// the confirm. A returned message has failed although the broker confirms it as well.
//
// # Groups of consumers
//
// A topic is an exchange, brokerbench.<run>.<topic>, to which producers publish. A group is a queue,
// brokerbench.<run>.<group>, which is bound to all exchanges, and its members consume from it. A queue that is
// not durable goes with its last consumer instead of its connection. Producers and members declare what they use
// whenever they connect, one after the other, and the last one that leaves deletes all of it.
//
// With keys producers publish to the exchange number 0 alone, with the key as the routing key. A group is an
// exchange x-consistent-hash, which is bound to that one, and has as many queues as there are topics: each has one
// member, so that a key keeps its order.
//
// # Audit
//
// A message leaves its queue with its delivery, so each confirmed message must have been
// delivered or still be in the queue. After a run with confirm=true and durable=true the audit
// stops the consumers and drains the queues. With prefetch=0, the default, the broker forgets
// each message that it sends: those on their way while a connection breaks are missing, and the
// audit cannot decide whether the broker lost them. With prefetch they go back to the queue.
//
// Whether the queue itself keeps messages is another question: a message that a consumer takes at
// once is confirmed and never stored. With a level of durability the exchange also routes each message
// to brokerbench.<run>.<connection>.audit, a queue of the same type without a consumer. A message is
// confirmed when both queues have it, which is twice the work for the broker and part of the
// measurement. The audit queue holds all messages of the run, has no max-length, and expires after
// a week.
//
// A queue that is not exclusive (durable=true) expires after ten minutes without use, so a
// process that was killed leaves nothing behind for long.
//
// # Outages
//
// amqp091-go's own recovery is not used. While the connection is lost, requests fail at once,
// and another attempt to connect is made every reconnect-wait, until Teardown. Messages in an
// exclusive queue are lost with it; a durable queue keeps them. The broker closes the channel of
// a message larger than its max_message_size: that message and those behind it have failed, a
// new channel is opened, and later messages of that size are refused at once.
//
// amqp091-go gives up a broker that is silent for one and a half heartbeats, 15 s by default, or
// does not read for that long. To see a longer stall as a long response instead of a lost
// connection, raise the option heartbeat.
package rabbitmq
