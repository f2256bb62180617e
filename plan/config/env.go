package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

const prefix = "BROKERBENCH_"

// brokerURL is a variable that gives the URL of a broker: plan files and tests
// use it.
var brokerURL = regexp.MustCompile(`^` + prefix + `[A-Z0-9_]+_URL$`)

// FromEnv returns what the variables BROKERBENCH_* of environ say, which has the
// form of os.Environ: BROKERBENCH_IN_FLIGHT for in-flight. A list is separated by
// commas; BROKERBENCH_TARGETS by spaces, because URLs have commas. A variable
// that is empty counts as not given.
//
// A variable of another name is one of [Mistakes], but for BROKERBENCH_X_URL (of
// a broker), BROKERBENCH_STATE (of deploy/local) and others, which the caller
// reads itself.
func FromEnv(environ []string, others ...string) (Overrides, error) {
	var o Overrides
	m := &mistakes{redact: redact}
	lists, texts := o.lists(), o.texts()
	known := append([]string{prefix + "STATE"}, others...)
	for _, names := range [][]string{sortedNames(lists), sortedNames(texts)} {
		for _, name := range names {
			known = append(known, variableOf(name))
		}
	}
	for _, entry := range environ {
		variable, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(variable, prefix) || brokerURL.MatchString(variable) {
			continue
		}
		if !slices.Contains(known, variable) {
			m.add(place{label: variable}, "unknown variable%s", hintVariable(variable, known))
			continue
		}
		o.setVariable(variable, value, lists, texts)
	}
	return o, m.err()
}

func (o *Overrides) setVariable(variable, value string, lists map[string]*[]string, texts map[string]*string) {
	name := keyOf(variable)
	list, text := lists[name], texts[name]
	switch {
	case strings.TrimSpace(value) == "":
		return
	case name == "targets":
		*list = strings.Fields(value)
	case list != nil:
		*list = []string{value}
	case text != nil:
		*text = value
	}
	o.setFrom(name, variable)
}

func variableOf(key string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

func keyOf(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, prefix), "_", "-"))
}

// hintVariable compares without the prefix, which would make all look alike.
func hintVariable(variable string, known []string) string {
	var short []string
	for _, name := range known {
		short = append(short, strings.TrimPrefix(name, prefix))
	}
	if best, ok := suggest.For(strings.TrimPrefix(variable, prefix), short); ok {
		return ` (did you mean "` + prefix + best + `"?)`
	}
	return ""
}
