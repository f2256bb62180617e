// Package form checks the URL of a gRPC target. It imports no gRPC, so that every build knows the options: see
// package grpc.
package form

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/service"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Schemes of the URLs.
const (
	Scheme    = "grpc"
	SchemeTLS = "grpcs"
)

// Port is that of a host without one. gRPC itself has none; its examples use this one.
const Port = "50051"

// Names of the service and of its methods.
const (
	Service = "brokerbench.Echo"
	Stream  = "/" + Service + "/Stream"
	Call    = "/" + Service + "/Call"
)

// Modes.
const (
	modeStream = "stream"
	modeUnary  = "unary"
)

var (
	// ErrAbsent means that this program was built without gRPC.
	ErrAbsent = errors.New("this build has no gRPC")
	// ErrEnded means that the service has ended a stream.
	ErrEnded = errors.New("the service has ended the stream")
)

var remedies = target.Remedies{
	{Err: ErrAbsent, Remedy: "make one that has: go build -tags grpcnotrace ./cmd/brokerbench"},
	{Text: "code = Unimplemented", Remedy: "the service needs the methods " + Stream + " and " + Call + ", which send each message back as it is"},
	{Text: "code = Unauthenticated", Remedy: "correct user and password: they are sent as basic authorization"},
	{Text: "code = PermissionDenied", Remedy: "correct user and password: they are sent as basic authorization"},
	{Text: "code = ResourceExhausted", Remedy: "raise the service's limit of a message, 4 MiB in most implementations, or send smaller ones"},
	{Text: "error reading server preface", Remedy: "is it gRPC? if it wants TLS, use " + SchemeTLS + "://"},
	{Text: "unexpected content-type", Remedy: "it speaks HTTP/2, but is it gRPC?"},
	{Err: service.ErrStart, Remedy: "name a service: grpc://host:port"},
	{Err: transport.ErrNotBack, Remedy: "do " + Stream + " and " + Call + " send each message back as it is?"},
	{Err: ErrEnded, Remedy: "does " + Stream + " go on until the client ends it?"},
}

// A Form is what the URL of a target says.
type Form struct {
	target.Base

	Calls         int // unary calls in flight on one connection; 0: a stream instead
	ReconnectWait time.Duration
	TLS           target.TLS

	mode string
}

func (f *Form) define(set target.Options) {
	set.Choice(&f.mode, "mode", modeStream, []string{modeStream, modeUnary}, "how messages are sent")
	set.IntVar(&f.Calls, "calls", 32, "unary calls of one connection of the run that may wait for their answers")
	set.DurationVar(&f.ReconnectWait, "reconnect-wait", 100*time.Millisecond, "pause before each attempt to reconnect; the client's own begins with 1s")
	f.TLS.Define(set)
}

// Options returns every option with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions(Scheme, new(Form).define).Settings()
}

// Read checks the URL of a target and sets its options.
func (f *Form) Read(t target.Target, run string) (err error) {
	f.Base, err = target.Form{
		Broker: Scheme, Schemes: []string{Scheme, SchemeTLS}, Remedy: remedies.For, Define: f.define,
		URL: errors.Join(
			target.Refuse(t.Scheme == SchemeTLS && len(t.Hosts) == 0, "%s needs the host of a service", SchemeTLS),
			target.Refuse(t.Path != "", "path %q: leave it out: the methods are %s and %s", t.Path, Stream, Call),
		),
		Check: func() error {
			return errors.Join(
				target.Between("calls", f.Calls, 1, 10_000),
				target.Between("reconnect-wait", f.ReconnectWait, time.Millisecond, time.Minute),
				f.TLS.Check(t.Scheme == SchemeTLS, SchemeTLS),
			)
		},
	}.Read(t, run)
	if f.mode == modeStream {
		f.Calls = 0
	}
	return err
}
