package target

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
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
	NoEcho  func() error  // why no echo is possible with the options; nil if the broker has none at all

	// Remedy returns the remedy for an error that the broker knows; "" for others. Nil: it knows none.
	Remedy func(error) string
}

// A Base is what the factories of all brokers have in common.
type Base struct {
	Target   Target
	Run      string
	Settings []requester.Setting // every option with the value in force
	Sides

	remedy func(error) string
	noEcho func() error
}

// errNoEcho is the error of a broker that has no echo at all.
var errNoEcho = errors.New("this system answers by itself: it has no echo")

// TakeSide implements [requester.Echoer].
func (b *Base) TakeSide(side requester.Side) error {
	err := errNoEcho
	if b.noEcho != nil {
		err = b.noEcho()
	}
	if err == nil {
		b.side = side
	}
	return b.Explain("making room for an echo", err)
}

// Store implements [requester.Auditor]: reading the store takes nothing out of it.
func (b *Base) Store() requester.Store { return requester.Store{} }

// Explain returns a [Fault] of the target, or nil for a nil err.
func (b *Base) Explain(doing string, err error) error {
	if err == nil { // a message was sent: nothing is allocated
		return nil
	}
	return Explain(b.Target, doing, err, b.remedy)
}

// InForce returns the value in force of an option; "" if there is no such option.
func (b *Base) InForce(name string) string {
	for _, s := range b.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// Description returns the description of a product through a client library, see [Client].
func (b *Base) Description(product, module, reported string) requester.Description {
	return requester.Description{Product: product, Client: Client(module, reported), Settings: slices.Clone(b.Settings)}
}

// Read checks the URL of t and sets its options.
func (f Form) Read(t Target, run string) (Base, error) {
	options := NewOptions(f.Broker, f.Define)
	err := errors.Join(f.checkScheme(t), f.URL, CheckRun(run), options.Apply(t.Query))
	if err == nil && f.Durable != nil {
		err = f.Durable.apply(options, t.Query)
	}
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		return Base{}, fmt.Errorf("%s: target %s: %w", f.Broker, t, err)
	}
	return Base{Target: t, Run: run, Settings: options.Settings(), remedy: f.Remedy, noEcho: f.NoEcho}, nil
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

// Client returns module@version of a client library as it was built in. A test
// binary does not know its modules: there it is the version that the library itself
// reports, or the module alone if that is "".
func Client(module, reported string) string {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				version = dep.Version
			}
		}
	}
	if reported != "" && !strings.HasPrefix(reported, "v") {
		reported = "v" + reported
	}
	return strings.TrimSuffix(module+"@"+cmp.Or(version, reported), "@")
}
