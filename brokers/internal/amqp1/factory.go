package amqp1

import (
	"errors"
	"net/url"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "amqp1"
	schemeTLS = "amqp1s"
)

// A Factory makes the connections to one target. It is safe for concurrent use. The embedded
// queues audit and remove over AMQP 0-9-1, which acknowledges many messages at once and is not
// held up by an alarm.
type Factory struct {
	*rabbitmq.Queues

	broker  management.Broker
	options options
}

var (
	_ requester.Describer    = (*Factory)(nil)
	_ requester.Auditor      = (*Factory)(nil)
	_ requester.LeaderFinder = (*Factory)(nil)
	_ requester.Sweeper      = (*Factory)(nil)
)

// New returns the factory for a target. It does not connect. run
// becomes part of the queues' names: no two runs on a broker may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.broker = management.Broker{Scheme: scheme, SchemeTLS: schemeTLS, Port: "5672", PortTLS: "5671", Options: &f.options.Options}
	err = f.broker.Read(t, run, target.Form{Broker: "amqp1", Define: f.options.define, Remedy: f.remedy}, f.options.check)
	if err == nil {
		f.Queues, err = rabbitmq.NewQueues(over091(t), run, "accept=true")
	}
	return f, err
}

// over091 returns the same broker as a target of package rabbitmq, with the options that both
// have, except those that only affect the measured connections. RabbitMQ speaks both protocols
// on one port.
func over091(t target.Target) target.Target {
	query := t.Query
	t.Scheme = map[string]string{scheme: "amqp", schemeTLS: "amqps"}[t.Scheme]
	t.Query = make(url.Values)
	for _, s := range rabbitmq.Options(t.Scheme) {
		if value, ok := query[s.Name]; ok && !slices.Contains([]string{"frame-size", "reconnect-wait"}, s.Name) {
			t.Query[s.Name] = value
		}
	}
	return t
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	return newConn(f, number, sink), nil
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := newConn(f, 0, sink)
	c.Join(f.Queues, m)
	return c, nil
}

// TakeKeys implements [requester.KeyTaker].
func (f *Factory) TakeKeys(requester.Keys) error {
	return errors.New("RabbitMQ does not act on the group-id of a message: measure it over AMQP 0-9-1, with the scheme " + over091(f.broker.Target).Scheme)
}

// exchanges returns the names of the exchanges that a connection declares: the topic to which it sends, those
// of which its group has a queue, or the one in front of its queue and the audit queue.
func (f *Factory) exchanges(c *conn) []string {
	switch {
	case c.Queue == "":
		return []string{c.SendsTo}
	case c.OneWay:
		return f.Exchanges(c.Queue)
	case f.options.Audits():
		return []string{c.Queue}
	}
	return nil
}

// address returns where a connection sends: to its queue, or to an exchange.
func (f *Factory) address(c *conn) string {
	if c.OneWay || f.options.Audits() {
		return "/exchanges/" + c.SendsTo
	}
	return queuePath(c.SendsTo)
}

// InForce returns the value in force of an option; "" if there is no such option.
func (f *Factory) InForce(name string) string { return f.broker.InForce(name) }
