package plot

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// Judged is something in a chart that has a verdict.
type judged struct {
	name    string
	verdict results.Verdict // "" if nobody has judged it
}

// maxNamed is how many are named in a line.
const maxNamed = 4

// verdictKeys says once for each verdict but valid what has it, such as "SUSPECT: every
// line". One is what a single thing is called.
func verdictKeys(one string, list []judged) (keys []entry) {
	for _, verdict := range []results.Verdict{results.Invalid, results.Suspect} {
		var names []string
		for _, j := range list {
			if j.verdict == verdict {
				names = append(names, j.name)
			}
		}
		text := strings.ToUpper(string(verdict))
		switch {
		case len(names) == 0:
			continue
		case len(list) == 1: // the title says what it is
		case len(names) == len(list):
			text += ": every " + one
		case len(names) > maxNamed:
			text += fmt.Sprintf(": %d of %d %ss", len(names), len(list), one)
		default:
			text += ": " + strings.Join(names, ", ")
		}
		keys = append(keys, entry{text: text})
	}
	return keys
}
