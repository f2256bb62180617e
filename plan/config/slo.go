package config

import "github.com/brokerbench/brokerbench/plan"

// sloSchema takes one objective or several.
func sloSchema() object {
	one := object{"type": "string", "pattern": `^ *((response|service|lag)\.)?(p\(?[0-9.]+\)?|max|loss|rate) ?(<=|>=|<|>) ?[0-9]`}
	return object{"anyOf": []any{one, object{"type": "array", "minItems": 1, "items": one}}}
}

// readSLOs reads one objective or a list of them.
func (r reader) readSLOs(n node) []plan.Objective {
	return r.objectives(r.oneOrMore(sloKey(), n.at(), n))
}

// objectives parses values. It reports those that are wrong, and leaves them out.
func (m *mistakes) objectives(values []value) (list []plan.Objective) {
	for _, v := range values {
		if o, err := plan.ParseObjective(v.text); m.check(v.at, err) {
			list = append(list, o)
		}
	}
	return list
}

// slos returns the objectives of a plan: those of its targets and grids, and those
// for all cells, which o can replace.
func (f *file) slos(o Overrides, targets []target, axes map[string][]value, m *mistakes) (all []plan.SLO) {
	common := f.common
	if given := o.list("slo"); len(given) > 0 {
		common = m.objectives(given)
	}
	for _, objective := range common {
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
