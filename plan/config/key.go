package config

import (
	"fmt"

	"github.com/brokerbench/brokerbench/plan"
)

// A row is a key with what reads it into a plan or a shape. It does not check the
// limits that Validate checks.
type row[S any] struct {
	Key
	put func(s *S, text string) error // see into
}

// set reads text.
func (r row[S]) set(s *S, text string) error { return r.wrong(text, r.put(s, text)) }

// A setting is a key that all cells of a plan have in common.
type setting = row[plan.Plan]

// An axis is a key that cells differ in.
type axis struct {
	row[plan.Shape]
	number func(text string) (int, error) // where a range is allowed; else nil
}

// into returns a function that reads a text into a field.
func into[S, V any](field func(*S) *V, parse func(text string) (V, error)) func(*S, string) error {
	return func(s *S, text string) error {
		v, err := parse(text)
		if err == nil {
			*field(s) = v
		}
		return err
	}
}

// numbers returns an axis whose values may be given as ranges.
func numbers(k Key, field func(*plan.Shape) *int, parse func(text string) (int, error)) axis {
	k.List = true
	return axis{row[plan.Shape]{k, into(field, parse)}, parse}
}

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

// wrong returns err with the key and the text that it is about.
func (k Key) wrong(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", k.Name, quote(text), err)
}

// checkSetting returns what is wrong with a value.
func checkSetting(s setting, text string) error {
	p := defaultPlan()
	if err := s.set(&p, text); err != nil {
		return err
	}
	return p.Settings.Validate()
}

// check returns the shape that has this value and else defaults, and what is
// wrong with the value.
func (a axis) check(text string) (plan.Shape, error) {
	shape := defaultShape()
	if err := a.set(&shape, text); err != nil {
		return shape, err
	}
	return shape, shape.Validate()
}

// defaultPlan returns a plan with the default settings and no cells.
func defaultPlan() (p plan.Plan) {
	for _, s := range settings() {
		if s.Default != "" {
			mustBeGood(s.set(&p, s.Default))
		}
	}
	return p
}

// defaultShape returns the shape of a cell that gives no values.
func defaultShape() (shape plan.Shape) {
	for _, a := range axes() {
		mustBeGood(a.set(&shape, a.Default))
	}
	return shape
}

// mustBeGood panics if a default of the table is wrong.
func mustBeGood(err error) {
	if err != nil {
		panic("config: default of " + err.Error())
	}
}
