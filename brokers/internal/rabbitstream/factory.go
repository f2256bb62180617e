package rabbitstream

import (
	"context"

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
	all     transport.Set[*conn]
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
	return newConn(f, number, sink), nil
}

// Leadership implements [requester.LeaderFinder]: the leader of the connection's stream.
func (f *Factory) Leadership(ctx context.Context, conn int) (requester.Leadership, error) {
	return f.broker.Leadership(ctx, "stream", f.stream(conn))
}

// stream returns the name of a connection's stream.
func (f *Factory) stream(number int) string { return target.Name(f.broker.Run, number) }
