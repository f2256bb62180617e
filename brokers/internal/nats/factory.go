package nats

import (
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme      = "nats"
	schemeTLS   = "nats+tls"
	shortTLS    = "tls"
	defaultPort = "4222"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base // User and Password of its Target do not print a token

	topology requester.Topology // zero: each connection consumes what it sends
	headers  requester.Headers  // of each message
	keys     requester.Keys     // of messages; their names are the subjects

	token   string
	options options
	stream  leftover.Shared // of all connections, with the option stream
	named   sync.Map        // addresses by the server's name, of those that were asked who leads
}

// New returns the factory for a target. It does not connect. run
// becomes part of the subjects: no two runs on a cluster may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.stream.Made = leftover.Made{Kind: "stream", Name: streamName(run), Delete: f.deleteStream}
	switch { // a token is in the place of user or password; it is moved to where it is not printed
	case t.User == "" && t.Password != "":
		f.token = t.Password
	case t.User != "" && t.Password == "":
		f.token, t.Password, t.User = t.User, t.User, "xxxxx" // as the password, it is cut from errors
	}
	f.Base, err = target.Form{
		Broker: "nats", Schemes: []string{scheme, schemeTLS, shortTLS}, URL: target.NoPath(t, "NATS", "subjects"), Remedy: f.remedy,
		Define: f.options.define, Check: func() error { return f.options.check(t.Scheme != scheme) }, Durable: &f.options.durable,
		NoEcho: func() error { return target.NoEcho(f.options.stores(), "stream="+f.options.stream) },
	}.Read(t, run)
	f.Settings = append(f.Settings, fixed...)
	return f, err
}

func (f *Factory) encrypted() bool { return f.Target.Scheme != scheme }
