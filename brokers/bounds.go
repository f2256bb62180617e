package brokers

import (
	"fmt"
	"maps"
	"strings"

	"github.com/brokerbench/brokerbench/requester"
)

// A Bound is an option that keeps what a broker stores from growing.
type Bound struct {
	Unless string // the option and the value with which nothing is stored, such as stream=none; "": always
	Option string
	Value  string // that [Target.Bounded] gives it, unless the URL does; "": none
	Grows  string // the value that bounds nothing
	Or     string // another option that bounds it, unless that is 0; "": none
	Only   string // the only value that bounds anything; "": all but Grows
}

// Bounded returns the target with options that bound what it stores, however long messages are sent. Those that
// its URL has stay; the error names one that bounds nothing, or excludes a bound.
func (t Target) Bounded() (Target, error) {
	inForce, err := t.inForce()
	if err != nil || inForce == nil {
		return t, err
	}
	bounded, given := t, t.parsed.Query
	bounded.parsed.Query = maps.Clone(given)
	if bounded.parsed.Query == nil {
		bounded.parsed.Query = make(map[string][]string)
	}
	for _, b := range t.Broker.Bounds {
		if b.applies(inForce) && b.Value != "" && !given.Has(b.Option) {
			bounded.parsed.Query.Set(b.Option, b.Value)
		}
	}
	if inForce, err = bounded.inForce(); err != nil {
		return t, fmt.Errorf("options that keep %s from growing: %w", t.Broker.Name, err)
	}
	for _, b := range t.Broker.Bounds {
		switch v := inForce(b.Option); {
		case !b.applies(inForce):
		case b.Only != "" && v != b.Only:
			return t, fmt.Errorf("target %s: with %s=%s nothing bounds what the broker keeps: leave the option out", t, b.Option, v)
		case b.Only == "" && v == b.Grows:
			return t, fmt.Errorf("target %s: with %s=%s what the broker keeps grows without bound: leave the option out (%s), or bound it", t, b.Option, v, b.Value)
		}
	}
	return bounded, nil
}

// applies reports whether anything is stored that the bound is about.
func (b Bound) applies(inForce func(string) string) bool {
	if other := inForce(b.Or); other != "" && other != "0" {
		return false
	}
	name, value, conditional := strings.Cut(b.Unless, "=")
	return !conditional || inForce(name) != value
}

// inForce returns what tells the value of an option in force; nil of a broker whose options are unknown.
func (t Target) inForce() (func(name string) string, error) {
	f, err := t.Open("bounded")
	if err != nil {
		return nil, err
	}
	settings, ok := requester.As[interface{ InForce(name string) string }](f)
	if !ok {
		return nil, nil
	}
	return settings.InForce, nil
}
