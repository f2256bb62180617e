// Package rabbitmq measures a RabbitMQ broker, or anything that speaks AMQP
// 0-9-1 as it does, through github.com/rabbitmq/amqp091-go.
//
//	amqp://guest:guest@127.0.0.1:5672
//	amqp://user:password@h1:5672,h2:5672/vhost?queue-type=quorum&durable=true&confirm=true
//	amqps://user:password@h:5671/vhost?tls-ca=ca.pem
//
// Without user and password it is guest and guest; without a path, or with an
// empty one, the vhost is "/". Of several hosts, which are one cluster, each
// connection takes the next one, and the others when that one does not answer.
//
// # What a round trip is
//
// Each connection has a queue of its own, brokerbench.<run>.<connection>, which
// Setup declares and Teardown removes. A request is published to it, through the
// default exchange, on one channel, and is its own reply when it is delivered on
// the other. Both channels share a connection: a second one showed no gain, from
// 3,000/s of 1 KiB over 100/s of 1 MiB to 20,000/s over 25 connections. RabbitMQ
// advises a connection each, because the broker stops reading from one that
// publishes too fast; but replies come nevertheless, and only acknowledgements
// (option prefetch) have to wait behind what is published. The option
// separate-connections shows the difference.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still
// honest: a transient, exclusive queue that the broker deletes with the
// connection, transient messages, automatic acknowledgement, no confirms. They
// are mandatory, so that a message that reached no queue is known to have failed
// instead of being lost; that cost nothing that could be measured.
//
// With confirm=true nobody waits for the confirm: a round trip still ends with
// the delivery, and a negative one makes the op failed.
//
// A queue that is not exclusive (durable=true) expires when nobody has used it
// for ten minutes: so nothing is left behind by a process that was killed.
//
// # Outages
//
// amqp091-go's own recovery is not used. When the connection is lost, that is
// noted, requests fail at once, and every reconnect-wait it is tried again, until
// Teardown. What was on its way through an exclusive queue is lost with it; a
// durable queue keeps it. A message larger than the broker's max_message_size
// makes the broker close the channel: the op and those behind it on that channel
// have failed, the channel is opened anew, and later ones that are too large are
// refused at once.
//
// A broker that is silent for one and a half heartbeats, 15 s by default, is taken
// for dead by amqp091-go, and so is one that does not read for that long, since
// the heartbeats then wait behind the request: to see a longer stall as a long
// response instead of a lost connection, raise the option heartbeat.
//
// # Hand-offs
//
// Request writes to the socket itself, in a single write up to 4 KiB. A reply
// passes through three goroutines of amqp091-go and this package: its share of a
// round trip is part of what is measured, as it is for everybody who uses it.
package rabbitmq
