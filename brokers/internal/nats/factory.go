package nats

import (
	"sync"
	"sync/atomic"

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
	target   target.Target // its User and Password do not print a token
	token    string
	run      string
	options  options
	sides    target.Sides
	settings []requester.Setting
	stream   stream      // of all connections, with the option stream
	left     atomic.Bool // the stream could not be removed
	named    sync.Map    // addresses by the server's name, of those that were asked who leads
}

var (
	_ requester.Describer = (*Factory)(nil)
	_ requester.Echoer    = (*Factory)(nil)
)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the subjects: no two runs on a cluster may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open("nats", rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{target: t, run: run}
	f.stream.factory = f
	f.takeToken()
	f.settings, err = target.Form{
		Broker: "nats", Schemes: []string{scheme, schemeTLS, shortTLS}, URL: target.NoPath(t, "NATS", "subjects"),
		Define: f.options.define, Check: func() error { return f.options.check(f.encrypted()) },
		Durable: &f.options.durable,
	}.Read(f.target, run)
	f.settings = append(f.settings, fixed...)
	return f, err
}

// takeToken moves a token, which a NATS URL has in place of user or password, to
// where it is not printed.
func (f *Factory) takeToken() {
	switch t := &f.target; {
	case t.User == "" && t.Password != "":
		f.token = t.Password
	case t.User != "" && t.Password == "":
		f.token, t.Password, t.User = t.User, t.User, "xxxxx" // as the password, it is cut from errors
	}
}

func (f *Factory) encrypted() bool {
	return f.target.Scheme == schemeTLS || f.target.Scheme == shortTLS
}

// New implements [requester.Factory].
func (f *Factory) New(conn int, sink requester.Sink) (requester.Requester, error) {
	c := newConn(f, conn, sink)
	if f.options.stream == streamNone {
		return c, nil
	}
	return &streamConn{conn: c}, nil
}

// TakeSide implements [requester.Echoer].
func (f *Factory) TakeSide(side requester.Side) error {
	return f.sides.Take(side, f.explain("making room for an echo", target.NoEcho(f.options.stream != streamNone, "stream="+f.options.stream)))
}

// subject returns a connection's subject.
func (f *Factory) subject(conn int) string { return target.Name(f.run, conn) }
