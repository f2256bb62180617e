package redis

import (
	"errors"
	"strings"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/redis/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme      = "redis"
	valkey      = "valkey" // a fork: the same schemes with another name
	defaultPort = "6379"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	master   string // its name among the sentinels; "": the target's host is the server
	database int
	options  options
	headers  requester.Headers               // of each message
	keys     requester.Keys                  // of messages
	topology requester.Topology              // zero: each connection consumes what it sends
	all      transport.Set[*leftover.Shared] // the streams, or channels: by connection, or by topic
	copies   atomic.Int64                    // the most copies of the data that were seen: a master and its replicas
	slots    cluster.Slots                   // of a cluster
	mute     atomic.Bool                     // the server did not answer when a stream had to be removed
}

// New returns the factory for a target. It does not connect. run
// becomes part of the channels' names: no two runs on a server may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{Base: target.Base{Target: t}} // which some checks need
	f.Base, err = target.Form{
		Broker: product(t.Scheme), Schemes: Schemes(product(t.Scheme)), URL: f.checkURL(), Remedy: f.remedy,
		Define: func(set target.Options) { f.options.define(set, t.Scheme) },
		Check:  func() error { return f.options.check(f.encrypted()) }, Durable: &f.options.durable,
		NoEcho: func() error { return target.NoEcho(f.options.stores(), "stream="+f.options.stream) },
	}.Read(t, run)
	f.slots.Seeds, f.slots.Ask = f.Target.Addrs(defaultPort), f.askNode
	f.Settings = append(append(f.Settings, f.fixed()...), f.guides()...)
	return f, err
}

func (f *Factory) checkURL() error {
	t := f.Target
	return errors.Join(
		f.readPath(),
		target.Refuse(len(t.Hosts) > 1 && !guided(t.Scheme) && !clustered(t.Scheme),
			"%d hosts: want one, or sentinels: %s://h1,h2,h3/mymaster, or a cluster: %s://h1,h2,h3", len(t.Hosts), schemeSentinel, schemeCluster),
		target.Refuse(clustered(t.Scheme) && t.Path != "" && t.Path != "0", "path %q: a cluster has database 0 alone: leave out the path", t.Path),
		target.Refuse(t.User != "" && t.Password == "",
			"user %q has no password: write user:password@, or :password@ for a password alone", t.User),
	)
}

func (f *Factory) encrypted() bool {
	plain, _, _ := strings.Cut(f.Target.Scheme, "+")
	return plain == product(plain)+"s"
}

// product returns the product that a scheme names, redis or valkey.
func product(of string) string {
	if strings.HasPrefix(of, valkey) {
		return valkey
	}
	return scheme
}

// Schemes returns the schemes of the targets of a product, redis or valkey, those of sentinels last.
func Schemes(product string) (all []string) {
	for _, kind := range []string{"", ofClusters, ofSentinels} {
		all = append(all, product+kind, product+"s"+kind)
	}
	return all
}

// Guides returns those of [Schemes] whose hosts are sentinels.
func Guides(product string) []string { return Schemes(product)[4:] }

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	if !f.topology.Own() {
		all, topic := f.all.All(), f.topology.Topic(number)
		if f.keys.None() {
			return newConn(f, sink, all[topic]), nil
		}
		c := newConn(f, sink, all...)
		c.topic, c.channel = topic, all[topic].Name
		return c, nil
	}
	c := newConn(f, sink, f.add(number))
	c.channel, c.sendsTo = f.From(c.sendsTo), f.To(c.sendsTo)
	c.receives = []string{c.channel}
	return c, nil
}

// add adds the stream, or channel, of a connection or topic.
func (f *Factory) add(number int) *leftover.Shared {
	s := &leftover.Shared{Made: leftover.Made{Kind: "stream", Name: f.channel(number), Delete: f.remove}}
	f.all.Add(s)
	return s
}

// channel returns the name of the channel, or stream, of a connection or topic.
func (f *Factory) channel(number int) string { return target.Name(f.Run, number) }
