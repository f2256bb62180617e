package kafka

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/dress"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	name        = "kafka" // for `brokerbench brokers`
	scheme      = "kafka"
	schemeTLS   = "kafka+tls"
	defaultPort = "9092"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	options  options
	common   []kgo.Opt // the options that all clients of this target share
	messages sync.Pool // of *message
	presence cluster.Presence
	all      transport.Set[*conn]
	measured measured
	shared   arrangement
	dress    dress.Dress
	backed   atomic.Pointer[requester.Backing] // what Describe said last
}

var (
	_ requester.Describer  = (*Factory)(nil)
	_ requester.StoreMeter = (*Factory)(nil)
	_ requester.Measurer   = (*Factory)(nil)
	_ requester.Echoer     = (*Factory)(nil)
	_ requester.Grouper    = (*Factory)(nil)
	_ requester.KeyTaker   = (*Factory)(nil)
)

// New returns the factory for a target. It does not connect. run
// becomes part of the topics' names: no two runs on a cluster may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.Target, f.Run = t, run // for check
	f.Base, err = target.Form{
		Broker: name, Schemes: []string{scheme, schemeTLS}, URL: target.NoPath(t, "Kafka", "topics"),
		Define: f.options.define, Check: f.check,
		Durable: &f.options.durable, Remedy: f.remedy,
		NoEcho: func() error {
			return errors.Join(target.NoEcho(f.options.transactions.on, "transactions"), target.NoEcho(f.options.shares(), "consumer=share"))
		},
	}.Read(t, run)
	return f, err
}

// check checks the options, and makes franz-go's from them: those that franz-go
// refuses are reported now, not by Setup.
func (f *Factory) check() error {
	err := f.options.check(f.Target)
	f.options.resolve()
	if err == nil {
		f.common, err = f.commonOpts()
	}
	if err == nil {
		err = kgo.ValidateOpts(f.measuredOpts(f.topic(0))...)
	}
	return err
}

// New implements [requester.Factory].
func (f *Factory) New(conn int, sink requester.Sink) (requester.Requester, error) {
	c := newConn(f, conn, sink)
	f.all.Add(c)
	return c, nil
}

// topic returns the name of a connection's topic, which with a topology others use, too.
func (f *Factory) topic(conn int) string { return f.From(f.name(conn)) }

// sendsTo returns the name of the topic to which a connection produces: its own, or with an
// echo that of the other side.
func (f *Factory) sendsTo(conn int) string { return f.To(f.name(conn)) }

func (f *Factory) name(conn int) string {
	if t := f.shared.topology; !t.Own() {
		conn = t.Topic(conn)
	}
	return target.Name(f.Run, conn)
}

// wanted returns the topic of that name as the options want it.
func (f *Factory) wanted(topic string) cluster.Topic {
	topics := f.shared.topology.Topics
	if f.shared.topology.Own() {
		topics = len(f.all.All())
	}
	return cluster.Topic{Name: topic, Partitions: f.options.partitions, Replication: f.options.replication, Config: f.options.topicConfig(topics)}
}
