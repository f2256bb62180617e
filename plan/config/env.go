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

// FromEnv returns the values of the variables BROKERBENCH_* in environ, which has
// the form of os.Environ: BROKERBENCH_IN_FLIGHT for in-flight. Commas separate the
// elements of a list, but spaces those of BROKERBENCH_TARGETS, because URLs have
// commas. A variable that is empty counts as not given.
//
// A variable of another name is one of [Mistakes], but for BROKERBENCH_X_URL (of
// a broker), BROKERBENCH_STATE (of deploy/local) and others, which the caller
// reads itself.
func FromEnv(environ []string, others ...string) (Values, error) {
	values := make(Values)
	m := &mistakes{redact: redact}
	known := append([]string{prefix + "STATE"}, others...)
	keys := make(map[string]Key)
	for _, k := range Keys() {
		keys[variableOf(k.Name)] = k
	}
	known = append(known, sortedNames(keys)...)
	for _, entry := range environ {
		variable, text, _ := strings.Cut(entry, "=")
		k, isKey := keys[variable]
		switch {
		case !strings.HasPrefix(variable, prefix) || brokerURL.MatchString(variable):
		case !slices.Contains(known, variable):
			m.add(place{label: variable}, "unknown variable%s", hintVariable(variable, known))
		case !isKey || strings.TrimSpace(text) == "":
		case k.Name == "targets":
			values[k.Name] = strings.Fields(text)
		default:
			values[k.Name] = []string{text}
		}
	}
	return values, m.err()
}

func variableOf(key string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
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
