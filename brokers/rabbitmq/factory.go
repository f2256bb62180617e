package rabbitmq

import (
	"cmp"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/made"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "amqp"
	schemeTLS = "amqps"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	options  options
	sides    target.Sides
	settings []requester.Setting
	made     made.Set[string] // of the audit queues that there may be
	conns    made.Set[*conn]  // of which Setup was called, and Teardown was not
	leaders  management.Leaders
	broken   atomic.Bool // a consumer was cut off that acknowledges nothing
}

var (
	_ requester.Describer = (*Factory)(nil)
	_ requester.Taker     = (*Factory)(nil)
	_ requester.Crosser   = (*Factory)(nil)
)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the queues' names: no two runs on a broker may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open("rabbitmq", rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{target: t, run: run}
	f.settings, err = target.Form{
		Broker: "rabbitmq", Schemes: []string{scheme, schemeTLS},
		Define: f.options.define, Check: func() error { return f.options.check(f.encrypted()) },
		Durable: &f.options.durability,
	}.Read(t, run)
	return f, err
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

// Cross implements [requester.Crosser].
func (f *Factory) Cross(side requester.Side) error {
	return f.sides.Cross(side, f.explain("making room for an echo", target.NoEcho(f.options.auditQueue, "audit-queue=true")))
}

// queue returns the name of a connection's queue, and of its exchange if it has
// one.
func (f *Factory) queue(number int) string { return f.sides.From(target.Name(f.run, number)) }

// sendsTo returns the name of the queue to which a connection publishes: its own, or with an
// echo that of the other side.
func (f *Factory) sendsTo(number int) string { return f.sides.To(target.Name(f.run, number)) }
