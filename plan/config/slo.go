package config

import (
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// sloSchema takes one objective or several.
func sloSchema() object {
	one := object{"type": "string", "pattern": `^ *((response|service|lag)\.)?(p\(?[0-9.]+\)?|max|loss|rate) ?(<=|>=|<|>) ?[0-9]`}
	return object{
		"anyOf":       []any{one, object{"type": "array", "minItems": 1, "items": one}},
		"description": "What the results should satisfy, such as p99.9<5ms, loss<0.001% or rate>99%: at the top of the file for all, or of one target or cell.",
		"examples":    []any{"p99.9<5ms", "loss<0.001%"},
	}
}

// readSLOs reads one objective or a list of them.
func (r reader) readSLOs(n node) (list []plan.Objective) {
	if !r.want(n, "slo", isValue, isList) {
		return nil
	}
	items := []node{n}
	if n.kind() == isList {
		items = n.items()
	}
	if len(items) == 0 {
		r.add(n.at(), "slo is empty: give one, or leave it out")
	}
	for _, item := range items {
		if !r.want(item, "slo", isValue) {
			continue
		}
		if o, err := plan.ParseObjective(item.text()); r.check(item.at(), err) {
			list = append(list, o)
		}
	}
	return list
}

// slos returns the objectives of a plan: those for all, which o's replace, and
// those of its targets and grids.
func (f *File) slos(o Overrides, targets []target, axes map[string][]value, m *mistakes) (all []plan.SLO) {
	for _, objective := range o.objectives(f.common, m) {
		all = append(all, plan.SLO{Objective: objective})
	}
	for _, t := range targets {
		for _, objective := range t.slos {
			all = append(all, plan.SLO{Target: t.Name, Objective: objective})
		}
	}
	for _, g := range f.grids {
		shapes, _ := g.with(axes).shapes()
		for _, shape := range shapes {
			for _, objective := range g.slos {
				all = append(all, plan.SLO{Shape: &shape, Objective: objective})
			}
		}
	}
	return all
}

// objectives returns those that o gives, or else the file's.
func (o *Overrides) objectives(file []plan.Objective, m *mistakes) (list []plan.Objective) {
	if len(o.SLO) == 0 {
		return file
	}
	for _, texts := range o.SLO {
		for _, text := range strings.Split(texts, ",") {
			if objective, err := plan.ParseObjective(text); m.check(o.place("slo"), err) {
				list = append(list, objective)
			}
		}
	}
	return list
}
