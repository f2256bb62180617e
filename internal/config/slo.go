package config

import "github.com/brokerbench/brokerbench/plan"

// readSLOs reads one objective or a list of them.
func (r *reader) readSLOs(n node) []plan.Objective {
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

// slos returns an SLO like one for each objective.
func slos(one plan.SLO, objectives []plan.Objective) (list []plan.SLO) {
	for _, one.Objective = range objectives {
		list = append(list, one)
	}
	return list
}
