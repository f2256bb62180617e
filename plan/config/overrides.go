package config

import (
	"maps"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// Overrides are values of flags or variables, as they were written; "" or nil
// means not given. An element of a list may itself be a list with commas.
type Overrides struct {
	Targets                                     []string // URLs, or names of the file's targets; not split at commas
	Rate, Size, Connections, InFlight, Arrivals []string
	Name, Duration, Warmup, Timeout             string
	Repeat, Seed, Senders, Spin                 string
	Percentiles, Floor                          string
	SLO                                         []string // objectives; they replace the file's for all cells
	Out                                         string   // the folder of results; no part of a plan

	from map[string]string // the variables that keys are from; other keys are from flags
}

// Over returns o, and lower where o gives nothing.
func (o Overrides) Over(lower Overrides) Overrides {
	o.from = maps.Clone(o.from)
	for name, high := range o.lists() {
		if low := lower.lists()[name]; len(*high) == 0 && len(*low) > 0 {
			*high = *low
			o.setFrom(name, lower.from[name])
		}
	}
	for name, high := range o.texts() {
		if low := lower.texts()[name]; *high == "" && *low != "" {
			*high = *low
			o.setFrom(name, lower.from[name])
		}
	}
	return o
}

func (o *Overrides) setFrom(name, variable string) {
	if variable == "" {
		delete(o.from, name)
		return
	}
	if o.from == nil {
		o.from = make(map[string]string)
	}
	o.from[name] = variable
}

// lists returns the fields that take several values, by key.
func (o *Overrides) lists() map[string]*[]string {
	lists := map[string]*[]string{"targets": &o.Targets, "slo": &o.SLO}
	for _, a := range axes() {
		lists[a.name] = a.given(o)
	}
	return lists
}

// texts returns the fields that take one value, by key.
func (o *Overrides) texts() map[string]*string {
	texts := map[string]*string{"out": &o.Out}
	for _, s := range settings() {
		texts[s.name] = s.given(o)
	}
	return texts
}

// place returns what a mistake in the key's value is said to be from.
func (o *Overrides) place(name string) place {
	switch variable := o.from[name]; {
	case variable != "":
		return place{label: variable}
	case name == "targets":
		return place{} // an argument, which the mistake names
	}
	return place{label: "--" + name}
}

// plan lays o over the file and makes the plan, which is valid if no mistake was
// added.
func (f *File) plan(o Overrides, m *mistakes) plan.Plan {
	p := defaultPlan()
	p.Name = f.name
	for _, s := range settings() {
		v, given := f.settings[s.name]
		if text := *s.given(&o); text != "" {
			v, given = value{text, o.place(s.name)}, m.check(o.place(s.name), s.check(text))
		}
		if given {
			m.check(v.at, s.set(&p, v.text))
		}
	}
	targets := f.targets
	if len(o.Targets) > 0 {
		targets = f.overrideTargets(o.Targets, o.place("targets"), m)
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
func (o *Overrides) axes(m *mistakes) map[string][]value {
	given := make(map[string][]value)
	for _, a := range axes() {
		var values []value
		for _, list := range *a.given(o) {
			for _, text := range strings.Split(list, ",") {
				values = append(values, value{strings.TrimSpace(text), o.place(a.name)})
			}
		}
		if values = m.sweeps(a, values); len(values) > 0 {
			m.checkValues(a, values)
			given[a.name] = values
		}
	}
	return given
}

// shapes returns the shapes of all grids, with other axes in place of their own.
func (f *File) shapes(axes map[string][]value, m *mistakes) (all []plan.Shape) {
	grids := f.grids
	if len(grids) == 0 {
		grids = []grid{{}}
	}
	for _, g := range grids {
		shapes, ok := g.with(axes).shapes()
		if all = append(all, shapes...); !ok || len(all) > maxShapes {
			m.checkGrown(axes)
			return nil
		}
	}
	return unique(all)
}

// checkGrown reports that axes made the grids too large; parse did so if the
// file alone is.
func (m *mistakes) checkGrown(axes map[string][]value) {
	if len(axes) > 0 {
		m.add(place{}, "more than %d combinations to measure", maxShapes)
	}
}

// checkTotal reports a plan of too many cells.
func (m *mistakes) checkTotal(p plan.Plan) {
	if cells := len(p.Shapes) * max(len(p.Targets), 1) * p.Repeat; cells > maxCells {
		m.add(place{}, "the plan has %d cells: %d combinations on %d targets, %d times; the limit is %d",
			cells, len(p.Shapes), len(p.Targets), p.Repeat, maxCells)
	}
}
