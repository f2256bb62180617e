package brokers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

// A Table is the brokers that targets may name, in the order in which they are
// shown. [All] is the one of brokerbench itself.
type Table []Broker

// Parse reads a target's URL and checks its options. It does not connect. An error
// holds no password.
func (t Table) Parse(url string) (Target, error) {
	parsed, err := target.Parse(url)
	var b Broker
	if err == nil {
		b, err = t.forScheme(parsed)
	}
	if err != nil {
		return Target{}, cmp.Or(t.withoutScheme(url), err)
	}
	if b.Options == nil && len(parsed.Query) > 0 {
		return Target{}, fmt.Errorf("target %s: %s has no options and no levels of durability", parsed, b.Name)
	}
	found := Target{b, parsed}
	_, err = found.Open("check") // every broker checks its options
	return found, err
}

// Usual returns the URL for which a target stands that is a broker's name, with options or
// without: "nats?stream=file". That is the value of BROKERBENCH_NATS_URL, or of
// BROKERBENCH_RABBITMQ_STREAM_URL for rabbitmq-stream, if lookup finds it, else the broker on this
// machine at its usual port. A broker's name as the scheme of a URL is its own scheme, and with
// an s its encrypted one: rabbitmqs:// is amqps://. Other targets are returned unchanged.
func (t Table) Usual(text string, lookup func(variable string) (value string, ok bool)) string {
	name, query, _ := strings.Cut(text, "?")
	b, err := t.ByName(name)
	if err != nil {
		return t.ownScheme(text)
	}
	url, ok := lookup("BROKERBENCH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_URL")
	if !ok || url == "" {
		url = b.Usual
	}
	url = t.ownScheme(url)
	switch {
	case url == "":
		return text
	case query == "":
		return url
	case strings.Contains(url, "?"):
		return url + "&" + query
	}
	return url + "?" + query
}

// ownScheme replaces the name of a broker as scheme of a URL.
func (t Table) ownScheme(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	if !ok || slices.Contains(t.schemes(), scheme) {
		return url
	}
	for _, b := range t {
		for i, name := range []string{b.Name, b.Name + "s"} {
			if name == scheme && i < len(b.Schemes) && b.Schemes[i] == b.Schemes[0]+name[len(b.Name):] {
				return b.Schemes[i] + "://" + rest
			}
		}
	}
	return url
}

// forScheme returns the broker that a URL belongs to.
func (t Table) forScheme(url target.Target) (Broker, error) {
	for _, b := range t {
		if slices.Contains(b.Schemes, url.Scheme) {
			return b, nil
		}
	}
	all := t.schemes()
	return Broker{}, fmt.Errorf("target %s: unknown scheme %q%s; there are %s", url, url.Scheme, suggest.Hint(url.Scheme, all), strings.Join(all, ", "))
}

// schemes returns those of all brokers.
func (t Table) schemes() (all []string) {
	for _, b := range t {
		all = append(all, b.Schemes...)
	}
	return all
}

// ByName returns the broker of that name.
func (t Table) ByName(name string) (Broker, error) {
	var names []string
	for _, b := range t {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Broker{}, fmt.Errorf("unknown broker %q%s; there are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// Check returns every mistake in the table: missing fields, and names and schemes
// that two brokers have.
func (t Table) Check() error {
	var errs []error
	of := make(map[string]string) // the broker by its scheme
	names := make(map[string]bool)
	for i, b := range t {
		if b.Name == "" || len(b.Schemes) == 0 || b.Open == nil {
			errs = append(errs, fmt.Errorf("broker %d of the table, %q: want a Name, Schemes and Open", i+1, b.Name))
		}
		if names[b.Name] {
			errs = append(errs, fmt.Errorf("broker %d of the table, %q: the name is taken", i+1, b.Name))
		}
		names[b.Name] = true
		for _, scheme := range b.Schemes {
			if other, taken := of[scheme]; taken {
				errs = append(errs, fmt.Errorf("broker %d of the table, %q: scheme %q belongs to %q", i+1, b.Name, scheme, other))
			}
			if scheme != strings.ToLower(scheme) {
				errs = append(errs, fmt.Errorf("broker %d of the table, %q: scheme %q: want lower case", i+1, b.Name, scheme))
			}
			of[scheme] = b.Name
		}
	}
	return errors.Join(errs...)
}
