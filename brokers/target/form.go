package target

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/requester"
)

// A Form is what a broker expects of a target's URL.
type Form struct {
	Broker  string        // its name
	Schemes []string      // that the URL may have, at least two
	Define  func(Options) // adds the broker's options
	Check   func() error  // called if each option by itself is right
	URL     error         // what else is wrong with the URL, reported together with wrong options
	Durable *Durable      // of a broker that has levels of durability; nil: it has none
}

// Read checks the URL of t, sets its options, and returns them all with the values
// in force.
func (f Form) Read(t Target, run string) ([]requester.Setting, error) {
	options := NewOptions(f.Broker, f.Define)
	err := errors.Join(f.checkScheme(t), f.URL, CheckRun(run), options.Apply(t.Query))
	if err == nil && f.Durable != nil {
		err = f.Durable.apply(options, t.Query)
	}
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: target %s: %w", f.Broker, t, err)
	}
	return options.Settings(), nil
}

func (f Form) checkScheme(t Target) error {
	if slices.Contains(f.Schemes, t.Scheme) {
		return nil
	}
	last := len(f.Schemes) - 1
	return fmt.Errorf("scheme %q: want %s or %s", t.Scheme, strings.Join(f.Schemes[:last], ", "), f.Schemes[last])
}

// NoPath returns an error if t has a path. product has none, because each run chooses
// its names, such as topics.
func NoPath(t Target, product, names string) error {
	return Refuse(t.Path != "", "path %q: a %s target has none: leave it out, each run makes its own %s", t.Path, product, names)
}
