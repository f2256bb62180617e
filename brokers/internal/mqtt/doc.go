// Package mqtt measures a broker that speaks MQTT 5, such as Mosquitto, through
// github.com/eclipse/paho.golang. Of all products only Mosquitto was tested.
//
//	mqtt://user:password@h1:1883,h2:1883?qos=1
//	mqtts://user:password@h:8883?tls-ca=ca.pem&qos=1&audit-session=true
//
// Each connection has a topic, brokerbench/<run>/<connection>, and two sockets: one publishes, the
// other is subscribed. Over a single socket, a broker that does not set TCP_NODELAY holds back
// the acknowledgement of a message until what it delivered before has arrived.
//
// With qos=1 or 2 PUBACK or PUBCOMP is the acknowledgement of a message; a round trip still ends
// with the delivery. A reason code that refuses a message, or that reports that no client is
// subscribed, makes it fail. Request writes a message to the socket itself, unless the broker's
// window (server-receive-maximum) is used up: then a goroutine sends it later. That wait
// is a part of the latency; beyond 128 MiB messages fail. Acknowledgements and deliveries come
// from different goroutines of paho's.
//
// A broker keeps messages for sessions. With audit-session=true each connection has a second
// session, which subscribes with QoS 1 before the first message and is then away. The audit resumes
// it, and reads until a mark that it publishes itself comes back. Mosquitto drops messages beyond
// max_queued_messages and max_queued_bytes, which cannot be asked for: a session that lacks the
// last message that was acknowledged, though no connection was ever lost, has met such a limit,
// and the audit ends with an error. A session expires a week after its last use.
package mqtt
