// Package mqtt measures a broker that speaks MQTT 5, such as Mosquitto, through
// github.com/eclipse/paho.golang.
//
//	mqtt://127.0.0.1:1883
//	mqtt://user:password@h1:1883,h2:1883?qos=1
//	mqtts://user:password@h:8883?tls-ca=ca.pem&qos=1&audit-session=true
//
// Several hosts are one cluster: each connection takes the next one, and tries the others if
// that one does not answer. Of all products only Mosquitto was tested.
//
// # What a round trip is
//
// Each connection has a topic of its own, brokerbench/<run>/<connection>, and two sockets: one
// publishes to it, the other is subscribed to it. A broker that does not set TCP_NODELAY, as
// Mosquitto does not unless it has set_tcp_nodelay, else holds back the acknowledgement of a
// message until what it delivered before has arrived.
//
// # Defaults
//
// The options, see [Options], default to the lowest latency that is still honest: messages of
// QoS 0, which nobody acknowledges, and sessions that end with their connection.
//
// With qos=1 or 2 the broker's PUBACK or PUBCOMP is the acknowledgement of a message. Nobody
// waits for it: a round trip still ends with the delivery. A reason code that refuses a message,
// or that says that nobody is subscribed, makes it fail. The subscription has the same QoS.
//
// # Windows
//
// With qos=1 or 2 a broker says how many messages it takes before it has acknowledged the
// first (server-receive-maximum in the description). Mosquitto's number is
// max_inflight_messages, 20 by default, and it delivers no more than 20 at once either: what
// comes above waits, here and there, and that is a part of its latency. What waits here is
// bounded at 128 MiB; beyond that messages fail. Mosquitto drops what waits there beyond
// max_queued_messages, 1000 by default. receive-maximum is our own limit for deliveries.
//
// # Hand-offs
//
// Request writes the message to the socket, in one write, and blocks only while that is full;
// but with qos=1 or 2 and a window that is used up, it leaves the message to a goroutine. An
// acknowledgement is passed on by the goroutine that read it; a delivery passes from that to
// another one, paho's own. paho's session, which it lets a program bring itself, is ours: its own
// keeps a copy of each message to send it again, and a goroutine for each that waits for its
// acknowledgement.
//
// # What is kept
//
// A broker keeps a message for sessions that are subscribed. With audit-session=true each
// connection has another session, brokerbench.<run>.<connection>.audit, which subscribes with QoS
// 1 before the first message, and is then away. The audit takes it up again over a connection
// of its own, and reads until a mark that it publishes itself comes back. What a session can
// keep is limited by the broker: Mosquitto drops beyond max_queued_messages (1000 by default,
// 0: no limit) and max_queued_bytes, which cannot be asked for over MQTT, and with
// per_listener_settings it keeps nothing for a session that is away. A session
// that lacks the last message that was acknowledged, though no connection was ever lost, has met
// such a limit: the audit ends with an error then. Reading takes the messages out of the
// session: it can be read once.
//
// Teardown removes the session. It expires by itself a week after its last use, so
// nothing is left for ever by a process that was killed.
//
// # Outages
//
// While a socket is lost, requests fail at once, and another attempt to connect both is made
// every reconnect-wait, until Teardown. Nothing is sent again. What was acknowledged and not
// delivered is lost with the subscriber's session. A broker that does not answer a ping within
// keep-alive is given up: to see a longer stall as a long response, raise it.
package mqtt
