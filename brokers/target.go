package brokers

import (
	"context"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Target is a parsed URL and the broker that it belongs to. [Table.Parse] makes one.
type Target struct {
	Broker Broker
	parsed target.Target
}

// Floor returns the echo that the target's floor is measured against; nil: a TCP echo.
func (t Target) Floor(ctx context.Context) (requester.Factory, error) {
	if t.Broker.Floor == nil {
		return nil, nil
	}
	return t.Broker.Floor(ctx, t.parsed)
}

// Open returns a factory. It does not connect. run is a text unique to one measured
// cell: the names of topics, queues and subjects carry it.
func (t Target) Open(run string) (requester.Factory, error) { return t.Broker.Open(t.parsed, run) }

// Local reports whether every host of the target is this machine, which
// brokerbench then shares with the broker.
func (t Target) Local() bool { return t.parsed.Local() }

// Addresses returns host and port of every host of the target. A host without a port has the
// scheme's usual one, if the broker has any.
func (t Target) Addresses() []string {
	i := slices.Index(t.Broker.Schemes, t.parsed.Scheme)
	if i < 0 || i >= len(t.Broker.Ports) {
		return t.parsed.Hosts
	}
	return t.parsed.Addrs(t.Broker.Ports[i])
}

// Nodes returns the addresses of the target's nodes: its Addresses, unless its hosts only know
// where they are.
func (t Target) Nodes() []string {
	if slices.Contains(t.Broker.Guides, t.parsed.Scheme) {
		return nil
	}
	return t.Addresses()
}

// Through returns the target with clients that dial the address to which via maps that of a
// host. Questions about leadership still go to the host.
func (t Target) Through(via map[string]string) Target {
	t.parsed.Via = via
	return t
}

// URL returns the URL with its secrets: only for another process of this program.
func (t Target) URL() string { return t.parsed.URL() }

// String returns the URL without secrets.
func (t Target) String() string { return Redact(t.parsed.String()) }
