// Package mqtt measures a broker that speaks MQTT 5, such as Mosquitto, through
// github.com/eclipse/paho.golang. Mosquitto and RabbitMQ 4 were tested. NATS and RabbitMQ before 3.13
// speak only MQTT 3.1.1, and are refused.
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
// With groups of consumers producers have the publishing socket, and members the other one, which is subscribed to
// all topics. The members of a group of several share their subscriptions. With persistent-session=true the broker keeps
// their sessions, which the last connection removes; those that are left expire ten minutes after their last use.
//
// A broker keeps messages for sessions. With audit-session=true each connection has a second
// session, which subscribes with QoS 1 before the first message and is then away. The audit resumes
// it, and reads until a mark that it publishes itself comes back.
package mqtt

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	options  options
	headers  requester.Headers    // of each message
	topology requester.Topology   // zero: each connection consumes what it sends
	conns    transport.Set[*conn] // those that may make a session for the audit
	sessions []*leftover.Shared   // those of the members of groups; nil: the broker keeps none
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

// topic returns the topic of that number, which is the one of a connection.
func topic(run string, number int) string { return fmt.Sprintf("brokerbench/%s/%d", run, number) }

// A conn is one connection: a topic, with a socket to publish and one that is subscribed. It makes
// the session for the audit. With groups of consumers it has one of the sockets.
type conn struct {
	transport.Conn[*link]
	*leftover.Shared // the session; nil: it makes none

	factory *Factory
	number  int
	name    string   // client identifier
	to      string   // topic to which it publishes; "": it does not
	from    []string // filters of its subscriptions
	stays   bool     // its session stays while it is away
}

// New implements [requester.Factory]. Of the producers to a topic, one makes the session for the audit.
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	c := f.newConn(number, sink, f.From(target.Name(f.Run, number))) // the two sides have different names
	if f.topology.Own() {
		c.to, c.from = f.To(topic(f.Run, number)), []string{f.From(topic(f.Run, number))}
	} else {
		c.to, c.OneWay = topic(f.Run, f.topology.Topic(number)), true
	}
	if f.topology.Own() || number < f.topology.Topics {
		c.Shared = &leftover.Shared{Made: leftover.Made{Kind: "session", Name: auditID(f.Run, number), Delete: f.remove}}
		c.Shares = []*leftover.Shared{c.Shared}
		f.conns.Add(c)
	}
	c.Shares = append(c.Shares, f.sessions...)
	return c, nil
}

// newConn returns a connection without topics.
func (f *Factory) newConn(number int, sink requester.Sink, name string) *conn {
	c := &conn{factory: f, number: number, name: name}
	c.Init(sink, f.Explain, f.options.reconnectWait)
	c.Make, c.Open = c.makeSession, c.open
	return c
}

// TakeTopology implements [requester.Grouper]. A group of one member subscribes as usual, and others share
// subscriptions.
func (f *Factory) TakeTopology(t requester.Topology) error {
	if f.options.keptSession && f.topology.Own() {
		for number := range t.Groups * t.Members {
			f.sessions = append(f.sessions, &leftover.Shared{Made: leftover.Made{Kind: "session", Name: f.member(number) + received, Delete: f.remove}})
		}
	}
	f.topology = t
	return nil
}

// Keeps implements [requester.Keeper].
func (f *Factory) Keeps() error {
	if !f.options.keptSession {
		return errors.New("a session goes with its connection: add the options qos=1 and persistent-session=true")
	}
	return nil
}

// member returns the client identifier of a member of a group. It is none of a producer.
func (f *Factory) member(number int) string { return target.Name(f.Run, number) + ".member" }

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	t, number := f.topology, m.Group*f.topology.Members+m.Number
	c := f.newConn(number, sink, f.member(number))
	if f.sessions != nil {
		c.Shares, c.stays = f.sessions[number:number+1], true
	}
	c.OneWay = true
	for number := range t.Topics {
		filter := topic(f.Run, number)
		if t.Members > 1 {
			filter = fmt.Sprintf("$share/g%d/%s", m.Group, filter)
		}
		c.from = append(c.from, filter)
	}
	return c, nil
}

// Traits implements [requester.Requester]. A message that is acknowledged may have to wait for
// the broker's window.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.qos > 0, WritesToSocket: c.factory.options.qos == 0}
}
