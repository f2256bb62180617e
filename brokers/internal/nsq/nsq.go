// Package nsq measures NSQ through github.com/nsqio/go-nsq.
//
//	nsq://host:4150?max-in-flight=200&output-buffer-timeout=25ms
//	nsq+tls://:secret@h:4150?tls-ca=ca.pem
//
// Each connection has a topic, brokerbench.<run>.<connection>, with the channel "bench": a publisher, which
// sends as the client's Producer does with PublishAsync, and a consumer with one handler, which finishes each
// message. Both have a socket. OK is the acknowledgement. A password is the secret of the AUTH command.
//
// nsqd keeps no order: a message that is requeued, or came from a file, is delivered later than others.
//
// Groups of consumers are channels: each gets all messages of a topic, and its consumers share them.
// Topics are created and deleted over HTTP. A target is one nsqd: several share nothing.
package nsq

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// channel is the one from which a connection consumes its own messages.
const channel = "bench"

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	options  options
	topology requester.Topology              // zero: each connection consumes what it sends
	topics   transport.Set[*leftover.Shared] // by connection, or those of the topology
}

// New returns the factory for a target. It does not connect. run becomes part of the names of
// topics: no two runs on a broker may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.Base, err = target.Form{
		Broker: "nsq", Schemes: []string{scheme, schemeTLS}, URL: errors.Join(target.NoPath(t, "NSQ", "topics"), target.Refuse(len(t.Hosts) > 1, "several hosts: each nsqd has its own messages, so that each is a target")), Remedy: remedies.For,
		Define: f.options.define, Check: func() error { return f.options.check(t.Scheme == schemeTLS) },
		NoEcho:  func() error { return target.NoEcho(f.options.auditChannel, "audit-channel=true") },
		Durable: &f.options.durability,
	}.Read(t, run)
	return f, err
}

// add returns a new topic of that name, which nsqd does not have yet.
func (f *Factory) add(name string) *leftover.Shared {
	t := &leftover.Shared{Made: leftover.Made{Kind: "topic", Name: name, Delete: f.remove}}
	f.topics.Add(t)
	return t
}

// A source is read by one consumer.
type source struct{ topic, channel string }

// A conn is one connection: a topic, with a producer and a consumer. With groups of consumers it has one
// producer, or a consumer of each topic.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	to      string   // topic to which it publishes; "": it does not
	from    []source // channels that it consumes
	ahead   int      // messages that may be on their way to it
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	name := target.Name(f.Run, number)
	c := f.newConn(sink)
	if f.topology.Own() {
		c.to, c.from = f.To(name), []source{{f.From(name), channel}}
		c.Shares = []*leftover.Shared{f.add(f.From(name))}
		return c, nil
	}
	t := f.topics.All()[f.topology.Topic(number)]
	c.to, c.OneWay, c.Shares = t.Name, true, []*leftover.Shared{t}
	return c, nil
}

// newConn returns a connection without topics.
func (f *Factory) newConn(sink requester.Sink) *conn {
	c := &conn{factory: f, ahead: f.options.maxInFlight}
	c.Init(sink, f.Explain, f.options.reconnectWait)
	c.Make, c.Open = f.makeTopic, c.open
	return c
}

// TakeTopology implements [requester.Grouper].
func (f *Factory) TakeTopology(t requester.Topology) error {
	if f.topology.Own() {
		for number := range t.Topics {
			f.add(target.Name(f.Run, number))
		}
	}
	f.topology = t
	return nil
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := f.newConn(sink)
	c.OneWay, c.Shares = true, f.topics.All()
	for _, t := range c.Shares {
		c.from = append(c.from, source{t.Name, groupChannel(m.Group)})
	}
	return c, nil
}

// groupChannel returns the channel of a group.
func groupChannel(group int) string { return fmt.Sprintf("g%d", group) }

// Traits implements [requester.Requester].
func (c *conn) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

// Keeps implements [requester.Keeper]: a channel stays without consumers.
func (f *Factory) Keeps() error { return nil }
