// Package grpc measures a gRPC service that sends each message back, through google.golang.org/grpc:
//
//	grpc://host:50051
//	grpcs://user:password@host:50051?mode=unary&tls-ca=ca.pem
//	grpc:                                     a service in a child process
//
// It is the price of a direct call, to compare a broker's with. The service is brokerbench.Echo. It has two methods:
//
//	Stream   a bidirectional stream: each message comes back, in any order
//	Call     a unary call, which returns its message
//
// A message of gRPC is the payload as it is, without protobuf. A service of your own needs no generated code: most
// implementations can register a method with a serializer that passes bytes on.
//
// A connection of a run is one TCP connection. In mode stream it has one stream. In mode unary each request that has no answer
// yet is a stream of HTTP/2; messages that are due beyond the option calls wait in the engine, and that wait is a
// part of the response time. A user and password are sent as basic authorization.
//
// [google.golang.org/grpc] makes a program 24 MB larger unless the build tag grpcnotrace is set. So this program has
// the package only with that tag: see package brokers.
package grpc

import (
	"context"

	grpcgo "google.golang.org/grpc"

	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/service"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	form.Form

	service service.Child // the child process; not used if the target names a host
}

// New returns the factory for a target. It does not connect.
func New(t target.Target, run string) (*Factory, error) {
	f := new(Factory)
	f.service.Init(form.Scheme)
	return f, f.Read(t, run)
}

// A conn is a connection of a run.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	number  int
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	return f.newConn(number, sink), nil
}

func (f *Factory) newConn(number int, sink requester.Sink) *conn {
	c := &conn{factory: f, number: number}
	c.Init(sink, f.Explain, f.ReconnectWait)
	if len(f.Target.Hosts) == 0 {
		c.Shares = []*leftover.Shared{&f.service.Shared}
	}
	c.Make = func(ctx context.Context, _ *leftover.Shared) error {
		return f.Explain("starting a service", f.service.Start(ctx))
	}
	c.Open = c.open
	return c
}

// Traits implements [requester.Requester].
func (c *conn) Traits() requester.Traits {
	return requester.Traits{InFlight: c.factory.Calls}
}

// Describe implements [requester.Describer]. A service does not say what it is.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("gRPC", "google.golang.org/grpc", grpcgo.Version)
	if len(f.Target.Hosts) == 0 {
		d.Product = "gRPC service of brokerbench"
		return d, nil
	}
	l, err := f.newConn(0, requester.Replies(func([]byte) {})).open(ctx)
	if err != nil {
		return d, f.Explain("connecting", err)
	}
	l.Close(transport.ErrTornDown)
	return d, nil
}
