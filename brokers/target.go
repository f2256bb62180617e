package brokers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/requester"
)

// A Target is a parsed URL and the broker that it belongs to. [Parse] makes one.
type Target struct {
	Broker Broker
	parsed target.Target
}

// Parse reads a target's URL and checks its options. It does not connect. An error
// holds no password.
func Parse(url string) (Target, error) {
	parsed, err := target.Parse(url)
	var b Broker
	if err == nil {
		b, err = forScheme(parsed)
	}
	if err != nil {
		return Target{}, cmp.Or(withoutScheme(url), err)
	}
	t := Target{b, parsed}
	_, err = t.Open("check") // every broker checks its options
	return t, err
}

// forScheme returns the broker that a URL belongs to.
func forScheme(t target.Target) (Broker, error) {
	for _, b := range All() {
		if slices.Contains(b.Schemes, t.Scheme) {
			return b, nil
		}
	}
	all := schemes()
	return Broker{}, fmt.Errorf("target %s: unknown scheme %q%s; there are %s", t, t.Scheme, suggest.Hint(t.Scheme, all), strings.Join(all, ", "))
}

// schemes returns those of all brokers.
func schemes() (all []string) {
	for _, b := range All() {
		all = append(all, b.Schemes...)
	}
	return all
}

// Open returns a factory. It does not connect. run is a text unique to one measured
// cell: the names of topics, queues and subjects carry it.
func (t Target) Open(run string) (requester.Factory, error) { return t.Broker.open(t.parsed, run) }

// Local reports whether every host of the target is this machine, which
// brokerbench then shares with the broker.
func (t Target) Local() bool { return t.parsed.Local() }

// String returns the URL without secrets.
func (t Target) String() string { return Redact(t.parsed.String()) }
