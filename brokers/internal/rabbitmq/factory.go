package rabbitmq

import (
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct{ *Queues }

var (
	_ requester.Describer    = (*Factory)(nil)
	_ requester.Echoer       = (*Factory)(nil)
	_ requester.Auditor      = (*Factory)(nil)
	_ requester.LeaderFinder = (*Factory)(nil)
	_ requester.Sweeper      = (*Factory)(nil)
)

// New returns the factory for a target. It does not connect. run
// becomes part of the queues' names: no two runs on a broker may share it.
func New(t target.Target, run string) (*Factory, error) {
	q, err := NewQueues(t, run, "prefetch")
	return &Factory{q}, err
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	return newConn(f, number, sink), nil
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := newConn(f, 0, sink)
	c.Join(f.Queues, m)
	if !f.keys.None() {
		return requester.Settled(c), nil
	}
	return c, nil
}

// TakeSide implements [requester.Echoer].
func (f *Factory) TakeSide(side requester.Side) error { return f.broker.TakeSide(side) }
