package config

import (
	"regexp"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/plan"
)

// Values are texts by the name of their [Key], as a user wrote them. An element of
// a list may itself be a list with commas, except targets, since URLs have commas.
type Values map[string][]string

// QuickStart returns the defaults of a run without a target and a plan file: it
// shows something after a few seconds.
func QuickStart() Values {
	return Values{"rate": {"1000"}, "duration": {"10s"}, "warmup": {"2s"}, "name": {"quickstart"}}
}

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

// overrideSettings reads the settings that go over those of the file.
func (r *reader) overrideSettings() {
	for _, k := range r.settings {
		if texts, at := r.over.given(k.Name); len(texts) > 0 {
			r.check(at, r.draft.try(k, texts[0]))
		}
	}
}

// plan makes the plan of the file with the overrides over it. The plan is valid if no
// mistake was added.
func (r *reader) plan() plan.Plan {
	o, p := r.over, r.draft.Plan
	if given, at := o.given("targets"); len(given) > 0 {
		r.targets = r.overrideTargets(given, at)
	}
	var ofShapes []plan.SLO
	p.Shapes, ofShapes = r.shapes(r.overrideAxes(o))
	p.Settings.Traces = r.draft.Settings.Traces
	if given := o.list("slo"); len(given) > 0 {
		r.common = r.objectives(given)
	}
	if given := o.list("user"); len(given) > 0 {
		p.Settings.Users = r.users(given)
	}
	p.SLOs = slos(plan.SLO{}, r.common)
	for _, t := range r.targets {
		p.Targets = append(p.Targets, t.Target)
		p.SLOs = append(p.SLOs, slos(plan.SLO{Target: t.Name}, t.slos)...)
	}
	p.SLOs = append(p.SLOs, ofShapes...)
	p.Settings.Faults = r.checkFaults(p)
	r.changed(&p.Settings, p.Shapes)
	if cells := len(p.Shapes) * max(len(p.Targets), 1) * p.Repeat; cells > maxCells {
		r.add(place{}, "the plan has %d cells: %d combinations on %d targets, %d times; the limit is %d",
			cells, len(p.Shapes), len(p.Targets), p.Repeat, maxCells)
	}
	return p
}

// overrideAxes returns the values of the axes that o gives.
func (r *reader) overrideAxes(o Overrides) map[string][]value {
	given := make(map[string][]value)
	for _, a := range new(draft).axes() {
		if values := r.traces(a, r.sweeps(a, o.list(a.Name))); len(values) > 0 {
			r.checkValues(a.Name, values)
			given[a.Name] = values
		}
	}
	return given
}

// shapes returns the shapes of all grids and their objectives, with other axes in
// place of the grids' own.
func (r *reader) shapes(over map[string][]value) (all []plan.Shape, objectives []plan.SLO) {
	if len(r.grids) == 0 {
		r.grids = []grid{{}}
	}
	for _, g := range r.grids {
		shapes, ok := product(r.axes(g, over))
		if !ok || len(all)+len(shapes) > maxShapes {
			if len(over) > 0 { // checkGrids reported it if the file alone is too large
				r.add(place{}, "more than %d combinations to measure", maxShapes)
			}
			return nil, nil
		}
		for i, shape := range shapes {
			if shape.Changes != "" {
				shape.Rate = r.draft.Settings.MeanRate(shape.Changes)
				shapes[i] = shape
			}
			objectives = append(objectives, slos(plan.SLO{Shape: &shape}, g.slos)...)
		}
		all = append(all, shapes...)
	}
	return unique(all, self), objectives
}

// slos returns an SLO like one for each objective.
func slos(one plan.SLO, objectives []plan.Objective) (list []plan.SLO) {
	for _, one.Objective = range objectives {
		list = append(list, one)
	}
	return list
}

const prefix = "BROKERBENCH_"

// brokerURL is a variable that gives the URL of a broker: plan files and tests
// use it.
var brokerURL = regexp.MustCompile(`^` + prefix + `[A-Z0-9_]+_URL$`)

// FromEnv returns the values of the variables BROKERBENCH_* in environ, which has
// the form of os.Environ: BROKERBENCH_IN_FLIGHT for in-flight. Commas separate the
// elements of a list, but spaces those of BROKERBENCH_TARGETS, because URLs have
// commas. A variable that is empty counts as not given.
//
// A variable of another name is one of [Mistakes], except BROKERBENCH_X_URL (of
// a broker), BROKERBENCH_STATE (of deploy/local) and others, which the caller
// reads itself.
func FromEnv(environ []string, others ...string) (Values, error) {
	keys := map[string]string{prefix + "STATE": ""} // by variable; "" is read elsewhere
	for _, other := range others {
		keys[other] = ""
	}
	for _, k := range Keys() {
		keys[variableOf(k.Name)] = k.Name
	}
	values := make(Values)
	m := &mistakes{redact: redact}
	for _, entry := range environ {
		variable, text, _ := strings.Cut(entry, "=")
		key, known := keys[variable]
		switch {
		case !strings.HasPrefix(variable, prefix) || brokerURL.MatchString(variable):
		case !known:
			m.add(place{label: variable}, "unknown variable%s", hintVariable(variable, sortedNames(keys)))
		case key == "" || strings.TrimSpace(text) == "":
		case key == "targets":
			values[key] = strings.Fields(text)
		default:
			values[key] = []string{text}
		}
	}
	return values, m.err()
}

func variableOf(key string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// hintVariable compares without the prefix, which would make all look alike.
func hintVariable(variable string, known []string) string {
	for i, name := range known {
		known[i] = strings.TrimPrefix(name, prefix)
	}
	return strings.Replace(suggest.Hint(strings.TrimPrefix(variable, prefix), known), `"`, `"`+prefix, 1)
}
