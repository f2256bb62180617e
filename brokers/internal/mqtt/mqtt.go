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
// with the delivery. While the broker's window (server-receive-maximum) is used up, messages wait
// in a queue: that wait is a part of the latency.
//
// A broker keeps messages for sessions. With audit-session=true each connection has a second
// session, which subscribes with QoS 1 before the first message and is then away. The audit resumes
// it, and reads until a mark that it publishes itself comes back.
package mqtt

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	options options
	conns   transport.Set[*conn]
}

// New returns the factory for a target. It does not connect. run
// becomes part of topics and client identifiers: no two runs on a broker may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.Base, err = target.Form{
		Broker: "mqtt", Schemes: []string{scheme, schemeTLS}, URL: target.NoPath(t, "MQTT", "topics"), Remedy: remedies.For,
		Define: f.options.define, Check: func() error { return f.options.check(t.Scheme == schemeTLS) },
		NoEcho:  func() error { return target.NoEcho(f.options.auditSession, "audit-session=true") },
		Durable: &f.options.durability,
	}.Read(t, run)
	return f, err
}

// topic returns the topic of a connection.
func topic(run string, number int) string { return fmt.Sprintf("brokerbench/%s/%d", run, number) }

// A conn is one connection: a topic, with a socket to publish and one that is subscribed. It makes
// the session for the audit.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	number  int
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	c := &conn{factory: f, number: number}
	c.Init(sink, f.Explain, f.options.reconnectWait)
	c.Make, c.Open = c.makeSession, c.open
	c.Kind, c.Name, c.Delete = "session", auditID(f.Run, number), f.remove
	f.conns.Add(c)
	return c, nil
}

// Traits implements [requester.Requester]. A message that is acknowledged may have to wait for
// the broker's window.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.qos > 0, WritesToSocket: c.factory.options.qos == 0}
}
