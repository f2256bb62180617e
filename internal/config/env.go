package config

import (
	"regexp"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

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
