package config

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/plan"
)

// A draft is what keys are read into: the settings of a plan, a shape, and a fault.
type draft struct {
	plan.Plan
	plan.Shape
	plan.Fault

	node       plan.Node
	durability string // checked, and otherwise unused: it is an option of each target
}

// into returns a function that reads a text into a field. It does not check the
// limits that Validate checks.
func into[V any](field func(*draft) *V, parse func(text string) (V, error)) func(*draft, string) error {
	return func(d *draft, text string) error {
		v, err := parse(text)
		if err == nil {
			*field(d) = v
		}
		return err
	}
}

// set reads text into the draft.
func (k Key) set(d *draft, text string) error { return k.wrong(text, k.put(d, text)) }

// wrong returns err with the key and the text that it is about.
func (k Key) wrong(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", k.Name, quote(text), err)
}

// check returns the shape of a draft of defaults with this value, or an error if the value is
// wrong.
func (k Key) check(d draft, text string) (plan.Shape, error) {
	err := k.set(&d, text)
	if err == nil {
		err = errors.Join(d.Settings.Validate(), d.Shape.Validate())
	}
	return d.Shape, err
}

// defaults returns a draft with the default of every key. It panics if one is wrong.
func defaults() (d draft) {
	for _, k := range append(settings(), axes()...) {
		if k.Default == "" {
			continue
		}
		if err := k.set(&d, k.Default); err != nil {
			panic("config: default of " + err.Error())
		}
	}
	return d
}

// Words returns the words that are values of the key, for the completion of a shell;
// a word that ends with a colon goes on.
func (k Key) Words() []string { return k.words }

// Usage returns the help of the key's flag.
func (k Key) Usage() string {
	text := k.Help
	if k.sweep != "" {
		text += ", such as " + commas(k.examples) + " or " + k.sweep
	}
	if k.Default != "" {
		text += " (default " + k.Default + ")"
	}
	return text
}
