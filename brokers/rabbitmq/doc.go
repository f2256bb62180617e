// Package rabbitmq measures a RabbitMQ broker, or anything that speaks AMQP
// 0-9-1 as it does, through github.com/rabbitmq/amqp091-go.
//
//	amqp://guest:guest@127.0.0.1:5672
//	amqp://user:password@h1:5672,h2:5672/vhost?queue-type=quorum&durable=true&confirm=true
//	amqps://user:password@h:5671/vhost?tls-ca=ca.pem
//
// The default user and password are guest and guest; the default vhost, also for an
// empty path, is "/". Several hosts are one cluster: each connection takes the next
// one, and tries the others if that one does not answer.
//
// # What a round trip is
//
// Each connection has a queue of its own, brokerbench.<run>.<connection>, which
// Setup declares and Teardown removes. A request is published to it, through the
// default exchange, on one channel, and comes back as the reply on another. Both
// channels share a connection: a second one showed no gain, whether at 3,000/s of
// 1 KiB, at 100/s of 1 MiB, or at 20,000/s over 25 connections. RabbitMQ recommends
// separate connections, because the broker stops reading from one that publishes
// too fast. Replies still come then; only acknowledgements (option prefetch) have
// to wait behind what is published. The option separate-connections shows the
// difference.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still
// honest: a transient, exclusive queue that the broker deletes with the
// connection, transient messages, automatic acknowledgement, no confirms. Messages
// are mandatory: one that reaches no queue has failed instead of being lost. That
// cost nothing that could be measured.
//
// With confirm=true nobody waits for the confirm: a round trip still ends with
// the delivery, but a message that the broker rejects has failed. The confirm is the
// acknowledgement of the message. A classic queue may deliver a message before it confirms
// it. A message that is returned is confirmed as well: it has failed, and counts as not
// acknowledged.
//
// # What is kept
//
// A consumer takes out of a queue what is delivered. So what was confirmed must be delivered
// or still in the queue: after a run with confirm=true and durable=true the audit ends what is
// consumed and drains the queues with acknowledgements. With prefetch=0, the default, the
// broker has forgotten what it has sent to the consumer: what was on its way when a connection
// broke is missing, and the audit says that it is not decided who lost it. With prefetch it
// goes back to the queue. What another consumer holds is waited for: see Doubt.
//
// That the queue itself keeps what it has taken is another question. With audit-queue=true
// the exchange puts each message into a second queue as well, brokerbench.<run>.<connection>.audit, of the same type, which nobody consumes until
// the run is over. A message is confirmed when both queues have it: that is twice the work
// of the broker, and measured. The queue holds all messages of the run, so watch the
// broker's memory and disk. Only the first queue has the limit max-length, and an audit queue
// expires after a week.
//
// A queue that is not exclusive (durable=true) expires when nobody has used it
// for ten minutes, so nothing is left behind by a process that was killed.
//
// # Outages
//
// amqp091-go's own recovery is not used. While the connection is lost, requests
// fail at once, and another attempt to connect is made every reconnect-wait, until
// Teardown. Messages in an exclusive queue are lost with it; a durable queue keeps
// them. If a message is larger than the broker's max_message_size, the broker
// closes the channel: that message and those behind it on the channel have failed,
// a new channel is opened, and later messages of that size are refused at once.
//
// amqp091-go gives up a broker that is silent for one and a half heartbeats, 15 s
// by default. The same happens to a broker that does not read for that long, since
// the heartbeats then wait behind the request. To see a longer stall as a long
// response instead of a lost connection, raise the option heartbeat.
//
// # Hand-offs
//
// Request itself writes to the socket, in a single write up to 4 KiB. A reply
// passes through three goroutines of amqp091-go and this package. The client's
// share of a round trip is part of what is measured, as for everybody who uses it.
package rabbitmq
