// Package brokers is the table of everything that brokerbench can measure. It maps
// the scheme of a target's URL to a broker.
package brokers

import (
	"fmt"
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

	// Options returns every option of a scheme, with its default.
	Options func(scheme string) []requester.Setting

	open func(t target.Target, run string) (requester.Factory, error)
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
	return Broker{}, fmt.Errorf("unknown broker %q%s; there are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// Redact replaces the password of every URL in text by xxxxx.
func Redact(text string) string { return target.Redact(text) }
