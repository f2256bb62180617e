// Package brokers is the table of everything that brokerbench can measure: which
// scheme of a target's URL belongs to which broker.
package brokers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/requester"
)

// A Broker is one kind of system under test.
type Broker struct {
	Name    string   // such as "kafka"; also names a target that has no name of its own
	Schemes []string // of its URLs, the plain one first
	Example string   // a URL
	Summary string   // one line

	// Open parses a URL and returns a factory for it. It does not connect. run
	// is a text unique to one measured cell: topics, queues and subjects carry
	// it.
	Open func(url, run string) (requester.Factory, error)
	// Options returns every option of a scheme, with its default.
	Options func(scheme string) []requester.Setting
}

// ByName returns the broker of that name.
func ByName(name string) (Broker, error) {
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Broker{}, fmt.Errorf("brokers: unknown broker %q%s; there are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// ForURL returns the broker that a target's URL belongs to.
func ForURL(url string) (Broker, error) {
	t, err := target.Parse(url)
	if err != nil {
		return Broker{}, err
	}
	var schemes []string
	for _, b := range All() {
		if slices.Contains(b.Schemes, t.Scheme) {
			return b, nil
		}
		schemes = append(schemes, b.Schemes...)
	}
	return Broker{}, fmt.Errorf("target %s: unknown scheme %q%s; there are %s", t, t.Scheme, suggest.Hint(t.Scheme, schemes), strings.Join(schemes, ", "))
}

// Open returns a factory for the target at url: see Broker.Open.
func Open(url, run string) (requester.Factory, error) {
	b, err := ForURL(url)
	if err != nil {
		return nil, err
	}
	return b.Open(url, run)
}

// Redact replaces the password of every URL in text by xxxxx.
func Redact(text string) string { return target.Redact(text) }

// Local tells whether every host of the target is this machine: what is measured
// shares it with brokerbench.
func Local(url string) bool {
	t, err := target.Parse(url)
	return err == nil && t.Local()
}
