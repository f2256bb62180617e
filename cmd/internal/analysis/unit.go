package analysis

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
)

// units are the units of the values in other tools' files.
var units = []string{"ns", "us", "ms", "s"}

// inUnit sets the unit of the files of other tools; "" leaves the usual one.
func inUnit(sources []source.Source, unit string) {
	for i := range sources {
		if s := &sources[i]; s.Foreign() && unit != "" {
			s.Unit, _ = time.ParseDuration("1" + unit)
		}
	}
}

// A measured has a median, if it has a value.
type measured interface {
	Median() (median time.Duration, known bool)
}

// unitNotes names a file of another tool that has the usual unit, if its median would be less than a
// broker's hop or more than a user's patience.
func unitNotes(s source.Source, values measured) []string {
	median, known := values.Median()
	if !s.Foreign() || s.Unit != 0 || !known || median >= 2*time.Microsecond && median <= 10*time.Second {
		return nil
	}
	return []string{fmt.Sprintf("%s: its median would be %v, read as %s (if that is not its unit, name it with --unit)",
		s.Path, median, map[bool]string{true: "ms", false: "ns"}[s.Table != nil])}
}
