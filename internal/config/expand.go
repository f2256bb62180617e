package config

import (
	"regexp"
	"strings"
)

// variable finds whatever begins like ${NAME}; goodVariable is ${NAME} or
// ${NAME:-default}.
var (
	variable     = regexp.MustCompile(`\$\{[^}]*\}?`)
	goodVariable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}$`)
)

// expand returns the text with its variables replaced. A variable that is empty
// counts as not set, as in a shell.
func (r *reader) expand(n node) string {
	return variable.ReplaceAllStringFunc(n.Value, func(text string) string {
		parts := goodVariable.FindStringSubmatch(text)
		if parts == nil {
			r.add(n.at(), "variable %s: want ${NAME} or ${NAME:-default}", quote(text))
			return ""
		}
		value, _ := r.opts.Lookup(parts[1])
		if def, hasDefault := strings.CutPrefix(parts[2], ":-"); value == "" && hasDefault {
			return def
		}
		if value == "" {
			r.add(n.at(), "variable %s is not set; ${%s:-default} would give it a default", parts[1], parts[1])
		}
		return value
	})
}
