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

// Addrs returns the hosts and ports of the target; those without a port are at the
// broker's usual one. A target that is no server has none.
func (t Target) Addrs() []string {
	usual := address.FindStringSubmatch(afterScheme(t.Broker.Example))
	if usual == nil {
		return nil
	}
	return t.parsed.Addrs(usual[1])
}

// String returns the URL without secrets.
func (t Target) String() string { return Redact(t.parsed.String()) }
