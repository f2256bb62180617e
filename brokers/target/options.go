package target

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/requester"
)

// Options are the options of one broker. Define them as with package flag, whose
// FlagSet it embeds: name, default, one line of documentation.
type Options struct{ *flag.FlagSet }

// NewOptions returns the options that define adds, for the broker of that name.
func NewOptions(broker string, define func(Options)) Options {
	o := Options{flag.NewFlagSet(broker, flag.ContinueOnError)}
	o.SetOutput(io.Discard)
	define(o)
	return o
}

// Choice defines an option that takes one of a few words.
func (o Options) Choice(p *string, name, value string, choices []string, usage string) {
	*p = value
	o.Var(&choice{p, choices}, name, usage+": "+strings.Join(choices, ", "))
}

// choice is a flag.Value of a few words.
type choice struct {
	value   *string
	choices []string
}

// String implements flag.Value.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set implements flag.Value.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.choices, s) {
		return fmt.Errorf("want %s", strings.Join(c.choices, ", "))
	}
	*c.value = s
	return nil
}

// Apply sets the options that query names. It reports every mistake at once: an
// unknown option with a suggestion, a value that does not fit, an option given
// twice.
func (o Options) Apply(query url.Values) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(query)) {
		errs = append(errs, o.apply(name, query[name]))
	}
	return errors.Join(errs...)
}

func (o Options) apply(name string, values []string) error {
	f := o.Lookup(name)
	if f == nil && name == durabilityOption {
		return fmt.Errorf("option %s: %s has no levels of durability", name, o.Name())
	}
	if f == nil {
		return fmt.Errorf("unknown option %q%s; `brokerbench brokers %s` lists them", name, suggest.Hint(name, o.names()), o.Name())
	}
	if len(values) > 1 {
		return fmt.Errorf("option %s: given %d times", name, len(values))
	}
	if err := o.Set(name, values[0]); err != nil {
		return fmt.Errorf("option %s: value %q: %w", name, values[0], err)
	}
	return nil
}

func (o Options) names() (names []string) {
	o.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// Settings returns every option with the value in force, sorted by name.
func (o Options) Settings() (settings []requester.Setting) {
	o.VisitAll(func(f *flag.Flag) {
		settings = append(settings, requester.Setting{Name: f.Name, Value: f.Value.String(), Doc: f.Usage})
	})
	return settings
}

// Between returns an error if an option's value is outside low to high and not among
// special.
func Between[N cmp.Ordered](name string, value, low, high N, special ...N) error {
	if (value < low || value > high) && !slices.Contains(special, value) {
		return fmt.Errorf("option %s: %v is not between %v and %v", name, value, low, high)
	}
	return nil
}

// CheckHTTP returns an error if value, of the option or flag of that name, is no http or
// https URL of a port that the broker is asked on. It does not quote the URL: there may be a
// secret in it. "" is where the port usually is.
func CheckHTTP(name, value string) error {
	u, err := url.Parse(value)
	if value == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(value, "@?#") {
		return nil
	}
	return fmt.Errorf("%s: want http://HOST:PORT or https://HOST:PORT, without user and password", name)
}

// Refuse returns an error with that text if options are wrong.
func Refuse(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}
