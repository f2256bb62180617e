package plot

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/results"
)

// maxNamed is how many subjects are named in a line.
const maxNamed = 4

// verdictKeys names the subjects of each verdict but valid, such as "SUSPECT: every line". One
// is what a single subject is called.
func verdictKeys[T interface{ About() input.Subject }](one string, list []T) (keys []entry) {
	for _, verdict := range []results.Verdict{results.Invalid, results.Suspect} {
		var names []string
		for _, s := range list {
			if s.About().Verdict == verdict {
				names = append(names, s.About().Name)
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
