package config

import (
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// Values are texts by the name of their [Key], as a user wrote them. An element of
// a list may itself be a list with commas, but for targets, since URLs have commas.
type Values map[string][]string

// Overrides go over a plan file: flags over the environment, the environment over
// the defaults of a command.
type Overrides struct {
	Flags    Values // with the command's arguments as "targets"
	Env      Values // from FromEnv
	Defaults Values // in place of the table's, for a command without a plan file
}

// Given returns the values of a key; none if no layer gives any.
func (o Overrides) Given(name string) []string {
	values, _ := o.given(name)
	return values
}

// Text returns the only value of a key, or its default.
func (o Overrides) Text(name string) string {
	if given := o.Given(name); len(given) > 0 {
		return given[0]
	}
	for _, k := range Keys() {
		if k.Name == name {
			return k.Default
		}
	}
	return ""
}

// given returns the values of a key, and the place that a mistake in them names.
func (o Overrides) given(name string) ([]string, place) {
	switch {
	case len(o.Flags[name]) > 0 && name == "targets":
		return o.Flags[name], place{} // arguments, which the mistake names
	case len(o.Flags[name]) > 0:
		return o.Flags[name], place{label: "--" + name}
	case len(o.Env[name]) > 0:
		return o.Env[name], place{label: variableOf(name)}
	}
	return o.Defaults[name], place{label: "default of " + name}
}

// list returns the values of a key that takes several, split at commas.
func (o Overrides) list(name string) (values []value) {
	given, at := o.given(name)
	for _, list := range given {
		for text := range strings.SplitSeq(list, ",") {
			values = append(values, value{strings.TrimSpace(text), at})
		}
	}
	return values
}

// plan makes the plan of the file with o over it. The plan is valid if no mistake
// was added.
func (f *file) plan(o Overrides, m *mistakes) plan.Plan {
	p := defaultPlan()
	p.Name = f.name
	for _, s := range settings() {
		v, given := f.settings[s.Name]
		if texts, at := o.given(s.Name); len(texts) > 0 {
			v, given = value{texts[0], at}, m.check(at, checkSetting(s, texts[0]))
		}
		if given {
			m.check(v.at, s.set(&p, v.text))
		}
	}
	targets := f.targets
	if given, at := o.given("targets"); len(given) > 0 {
		targets = f.overrideTargets(given, at, m)
	}
	for _, t := range targets {
		p.Targets = append(p.Targets, t.Target)
	}
	axes := o.axes(m)
	p.Shapes = f.shapes(axes, m)
	p.SLOs = f.slos(o, targets, axes, m)
	m.checkTotal(p)
	return p
}

// axes returns the values of the axes that o gives.
func (o Overrides) axes(m *mistakes) map[string][]value {
	given := make(map[string][]value)
	for _, a := range axes() {
		if values := m.sweeps(a, o.list(a.Name)); len(values) > 0 {
			m.checkValues(a, values)
			given[a.Name] = values
		}
	}
	return given
}

// shapes returns the shapes of all grids, with other axes in place of their own.
func (f *file) shapes(axes map[string][]value, m *mistakes) (all []plan.Shape) {
	grids := f.grids
	if len(grids) == 0 {
		grids = []grid{{}}
	}
	for _, g := range grids {
		shapes, ok := g.with(axes).shapes()
		if all = append(all, shapes...); ok && len(all) <= maxShapes {
			continue
		}
		if len(axes) > 0 { // parse reported it if the file alone is too large
			m.add(place{}, "more than %d combinations to measure", maxShapes)
		}
		return nil
	}
	return unique(all, self)
}

// checkTotal reports a plan of too many cells.
func (m *mistakes) checkTotal(p plan.Plan) {
	if cells := len(p.Shapes) * max(len(p.Targets), 1) * p.Repeat; cells > maxCells {
		m.add(place{}, "the plan has %d cells: %d combinations on %d targets, %d times; the limit is %d",
			cells, len(p.Shapes), len(p.Targets), p.Repeat, maxCells)
	}
}
