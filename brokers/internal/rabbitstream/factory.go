package rabbitstream

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	name      = "rabbitmq-stream" // for `brokerbench brokers`
	scheme    = "rabbitmq-stream"
	schemeTLS = "rabbitmq-stream+tls"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	broker  management.Broker
	options options
	headers requester.Headers               // of each message
	all     transport.Set[*leftover.Shared] // the streams: by connection, or by topic

	topology requester.Topology // zero: each connection consumes what it sends
}

var (
	_ requester.Describer    = (*Factory)(nil)
	_ requester.Auditor      = (*Factory)(nil)
	_ requester.LeaderFinder = (*Factory)(nil)
	_ requester.Sweeper      = (*Factory)(nil)
)

// New returns the factory for a target. It does not connect. run
// becomes part of the streams' names: no two runs on a broker may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.broker = management.Broker{Scheme: scheme, SchemeTLS: schemeTLS, Port: "5552", PortTLS: "5551", Options: &f.options.Options}
	err = f.broker.Read(t, run, target.Form{Broker: name, Define: f.options.define, Remedy: f.remedy}, f.options.check)
	f.broker.Settings = append(f.broker.Settings, fixed...)
	return f, err
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	if !f.topology.Own() {
		c := newConn(f, number, sink, f.all.All()[f.topology.Topic(number)])
		c.OneWay = true
		return c, nil
	}
	c := newConn(f, number, sink, f.add(number))
	c.consume()
	return c, nil
}

// TakeHeaders implements [requester.HeaderTaker].
func (f *Factory) TakeHeaders(h requester.Headers) error {
	f.headers = h
	return nil
}

// TakeTopology implements [requester.Grouper]. A topic is a stream, and each consumer of it a group.
func (f *Factory) TakeTopology(t requester.Topology) error {
	if t.Members > 1 {
		return &requester.TopologyError{Topology: t, Reason: "each consumer of a stream gets all messages, so that a group has one member: use --members 1, or queues over the scheme amqp"}
	}
	if f.topology.Own() {
		for topic := range t.Topics {
			f.add(topic)
		}
	}
	f.topology = t
	return nil
}

// Keeps implements [requester.Keeper]: a stream keeps everything, and the offsets of a group.
func (f *Factory) Keeps() error {
	if f.options.maxLength > 0 {
		return errors.New("max-length limits the stream: leave out the option")
	}
	return f.options.retention.Keeps()
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := newConn(f, m.Group, sink, f.all.All()...)
	c.OneWay, c.sendsTo, c.group = true, "", target.Name(f.broker.Run, m.Group)
	c.consume()
	return c, nil
}

// add adds the stream of a connection or topic.
func (f *Factory) add(number int) *leftover.Shared {
	s := &leftover.Shared{Made: leftover.Made{Kind: "stream", Name: f.stream(number), Delete: f.remove}}
	f.all.Add(s)
	return s
}

// Leadership implements [requester.LeaderFinder]: the leader of the connection's stream.
func (f *Factory) Leadership(ctx context.Context, conn int) (requester.Leadership, error) {
	return f.broker.Leadership(ctx, "stream", f.stream(conn))
}

// stream returns the name of the stream of a connection or topic.
func (f *Factory) stream(number int) string { return target.Name(f.broker.Run, number) }

// InForce returns the value in force of an option; "" if there is no such option.
func (f *Factory) InForce(name string) string { return f.broker.InForce(name) }
