package rabbitstream

import (
	"cmp"

	"github.com/brokerbench/brokerbench/brokers/internal/made"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	name        = "rabbitmq-stream" // for `brokerbench brokers`
	scheme      = "rabbitmq-stream"
	schemeTLS   = "rabbitmq-stream+tls"
	defaultPort = "5552"
	portTLS     = "5551"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	options  options
	settings []requester.Setting
	made     made.Set[string] // of the streams that there may be
	leaders  management.Leaders
}

var (
	_ requester.Describer = (*Factory)(nil)
	_ requester.Auditor   = (*Factory)(nil)
)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the streams' names: no two runs on a broker may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open(name, rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{target: t, run: run}
	f.settings, err = target.Form{
		Broker: name, Schemes: []string{scheme, schemeTLS},
		Define: f.options.define, Check: func() error { return f.options.check(f.encrypted()) },
		Durable: &f.options.durability,
	}.Read(t, run)
	f.settings = append(f.settings, fixed...)
	return f, err
}

func (f *Factory) encrypted() bool { return f.target.Scheme == schemeTLS }

// New implements [requester.Factory].
func (f *Factory) New(number int, reply requester.Reply) (requester.Requester, error) {
	return newConn(f, number, reply), nil
}

// hosts returns the hosts of the URL with their ports.
func (f *Factory) hosts() []string {
	if f.encrypted() {
		return f.target.Addrs(portTLS)
	}
	return f.target.Addrs(defaultPort)
}

// addrs returns where to dial, beginning with the host for the connection's number.
func (f *Factory) addrs(number int) []string {
	all := f.hosts()
	for i, addr := range all {
		all[i] = f.target.At(addr)
	}
	first := number % len(all)
	return append(append([]string(nil), all[first:]...), all[:first]...)
}

// vhost returns the name of the vhost.
func (f *Factory) vhost() string { return cmp.Or(f.target.Path, "/") }

// user returns the user and the password.
func (f *Factory) user() (user, password string) {
	if f.target.User == "" {
		return "guest", "guest"
	}
	return f.target.User, f.target.Password
}

// stream returns the name of a connection's stream.
func (f *Factory) stream(number int) string { return target.Name(f.run, number) }
