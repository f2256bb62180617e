// Package amqp1 measures RabbitMQ over AMQP 1.0, which it speaks natively since 4.0, through
// github.com/Azure/go-amqp. Package rabbitmq measures it over AMQP 0-9-1.
//
//	amqp1://guest:guest@127.0.0.1:5672
//	amqp1://user:password@h1:5672,h2:5672/vhost?queue-type=quorum&durable=true&confirm=true
//	amqp1s://user:password@h:5671/vhost?tls-ca=ca.pem
//
// The default user and password are guest and guest; the default vhost, also for an
// empty path, is "/". Several hosts are one cluster: each connection takes the next
// one, and tries the others if that one does not answer.
//
// # Round trip
//
// Setup declares a queue for each connection, brokerbench.<run>.<connection>, with a request to
// RabbitMQ's management node; Teardown removes it. A message is sent to the queue's address,
// /queues/<name>, in one session, and comes back in another.
//
// # Other brokers
//
//	amqp1://user:password@127.0.0.1:5672?address={name}
//
// With the option address the broker is another one, such as Artemis, Qpid, Service Bus or Solace: see [Plain].
// Nothing but AMQP 1.0 is used. {name} and {number} tell the connections' queues apart, and each is emptied in
// Setup and Teardown.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still honest, and to those
// of package rabbitmq where both have them: a transient, exclusive queue that the broker deletes
// with the connection, transient messages, sent and delivered settled.
//
// With confirm=true messages are sent unsettled. An accepted message is acknowledged; one that is
// rejected or released has failed, with the broker's reason. A round trip still ends with the
// delivery, which may come before the outcome.
//
// # Hand-offs
//
// Request copies the message into a queue: go-amqp waits until each message is in the socket, and
// while the broker grants no credit it waits for that and ignores contexts. An alarm of the
// broker, which go-amqp does not report, appears as long responses. Messages fail once 128 MiB
// wait. A message then passes through three goroutines of go-amqp, and a reply through three.
//
// One goroutine waits for the outcomes, the oldest first: the broker settles the messages of a
// queue in their order. The two goroutines of this package add about 13 µs: one message of 1 KiB at a
// time, until it was accepted and had come back, took 218 µs at p50 (194 to 256 in eight runs), and
// 205 µs (182 to 239) with go-amqp alone, whose caller waits for the outcome.
//
// A message of several frames, above 128 KiB, is sent unsettled even without confirm, and its
// outcome ignored: go-amqp marks only the last frame as settled, and RabbitMQ refuses that.
//
// # Groups of consumers
//
// They have the exchanges, all fanout, and the queues of package rabbitmq.
//
// # Audit
//
// A message leaves its queue with its delivery, so each acknowledged message must have been
// delivered or still be in the queue. With confirm=true and durable=true the audit stops the
// consumers and drains the queues. The broker forgets each message that it delivers settled:
// with accept=false, the default, those on their way while a connection breaks are missing. With
// accept=true they go back to the queue.
//
// A queue that is not exclusive (durable=true) expires after ten minutes without use, so a
// process that was killed leaves nothing behind for long.
//
// # Outages
//
// While the connection is lost, requests fail at once, and another attempt to connect is made
// every reconnect-wait, until Teardown. Messages in an exclusive queue are lost with it; a
// durable queue keeps them. A broker that sends or reads nothing for the idle-timeout is given
// up: to see a longer stall as a long response, raise it.
package amqp1
