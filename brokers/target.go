package brokers

import (
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Target is a parsed URL and the broker that it belongs to. [Table.Parse] makes one.
type Target struct {
	Broker Broker
	parsed target.Target
}

// Open returns a factory. It does not connect. run is a text unique to one measured
// cell: the names of topics, queues and subjects carry it.
func (t Target) Open(run string) (requester.Factory, error) { return t.Broker.Open(t.parsed, run) }

// Local reports whether every host of the target is this machine, which
// brokerbench then shares with the broker.
func (t Target) Local() bool { return t.parsed.Local() }

// Addresses returns host and port of every host of the target, as its URL has them.
func (t Target) Addresses() []string { return t.parsed.Hosts }

// String returns the URL without secrets.
func (t Target) String() string { return Redact(t.parsed.String()) }
