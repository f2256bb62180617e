package mqtt

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "mqtt"
	schemeTLS = "mqtts"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	options  options
	sides    target.Sides
	settings []requester.Setting
	conns    transport.Set[*conn]
}

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of topics and client identifiers: no two runs on a broker may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open("mqtt", rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{target: t, run: run}
	f.settings, err = target.Form{
		Broker: "mqtt", Schemes: []string{scheme, schemeTLS}, URL: target.NoPath(t, "MQTT", "topics"),
		Define: f.options.define, Check: func() error { return f.options.check(f.encrypted()) },
		Durable: &f.options.durability,
	}.Read(t, run)
	return f, err
}

func (f *Factory) encrypted() bool { return f.target.Scheme == schemeTLS }

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	c := newConn(f, number, sink)
	f.conns.Add(c)
	return c, nil
}

// TakeSide implements [requester.Echoer].
func (f *Factory) TakeSide(side requester.Side) error {
	return f.sides.Take(side, f.explain("making room for an echo", target.NoEcho(f.options.auditSession, "audit-session=true")))
}

// topic returns the topic of a connection.
func topic(run string, number int) string { return fmt.Sprintf("brokerbench/%s/%d", run, number) }
