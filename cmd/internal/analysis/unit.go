package analysis

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
)

// units are the units of the values in other tools' files.
var units = []string{"ns", "us", "ms", "s"}

// inUnit sets the unit of the files of other tools. Without one, notes name the files whose
// median would be less than a broker's hop or more than a user's patience.
func inUnit(sources []source.Source, unit string) (notes []string) {
	for i := range sources {
		s := &sources[i]
		if !s.Foreign() {
			continue
		}
		if unit != "" {
			s.Unit, _ = time.ParseDuration("1" + unit)
			continue
		}
		if median, known := medianOf(*s); known && (median < 2*time.Microsecond || median > 10*time.Second) {
			notes = append(notes, fmt.Sprintf("%s: its median would be %v, read as %s (if that is not its unit, name it with --unit)",
				s.Path, median, map[bool]string{true: "ms", false: "ns"}[s.Table != nil]))
		}
	}
	return notes
}

// medianOf returns the median of a file, if it has one.
func medianOf(s source.Source) (median time.Duration, known bool) {
	if s.Table != nil {
		for _, row := range s.Table.Rows {
			if row.Percentile >= 50 {
				return time.Duration(min(row.Value, 1e9) * float64(time.Millisecond)), true
			}
		}
		return 0, false
	}
	total, err := s.Sum("")
	if err != nil || total.Histogram().Count() == 0 {
		return 0, false
	}
	return total.Histogram().Quantile(50), true
}
