package amqp1

import (
	"cmp"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/made"
	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "amqp1"
	schemeTLS = "amqp1s"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	options  options
	settings []requester.Setting
	queues   *rabbitmq.Factory // the same broker over AMQP 0-9-1, for what is not measured
	conns    made.Set[*conn]   // of which Setup was called, and Teardown was not
	broken   atomic.Bool       // a consumer was cut off to which the broker delivers settled
}

var (
	_ requester.Describer = (*Factory)(nil)
	_ requester.Taker     = (*Factory)(nil)
)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the queues' names: no two runs on a broker may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open("amqp1", rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{target: t, run: run}
	f.settings, err = target.Form{
		Broker: "amqp1", Schemes: []string{scheme, schemeTLS},
		Define: f.options.define, Check: func() error { return f.options.check(f.encrypted()) },
		Durable: &f.options.durability,
	}.Read(t, run)
	if err == nil {
		f.queues, err = rabbitmq.New(f.over091(), run)
	}
	return f, err
}

// measured are options that both have and that concern only how a connection is measured.
var measured = []string{"frame-size", "reconnect-wait"}

// over091 returns the same broker as a target of brokers/rabbitmq, with the options that both
// have. RabbitMQ speaks both protocols on one port.
func (f *Factory) over091() target.Target {
	t := f.target
	t.Scheme = map[string]string{scheme: "amqp", schemeTLS: "amqps"}[t.Scheme]
	t.Query = make(url.Values)
	for _, s := range rabbitmq.Options(t.Scheme) {
		if value, ok := f.target.Query[s.Name]; ok && !slices.Contains(measured, s.Name) {
			t.Query[s.Name] = value
		}
	}
	return t
}

func (f *Factory) encrypted() bool { return f.target.Scheme == schemeTLS }

// New implements [requester.Factory].
func (f *Factory) New(number int, reply requester.Reply) (requester.Requester, error) {
	c := newConn(f, number, reply)
	if !f.options.confirm {
		return c, nil
	}
	return ackConn{c}, nil
}

// vhost returns the name of the vhost.
func (f *Factory) vhost() string { return cmp.Or(f.target.Path, "/") }

// queue returns the name of a connection's queue.
func (f *Factory) queue(number int) string { return target.Name(f.run, number) }
