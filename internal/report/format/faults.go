package format

import (
	"fmt"

	"github.com/brokerbench/brokerbench/results"
)

// Spell writes how long something took, in seconds, and its interval, or in how many repeats
// it did not end.
func Spell(s *results.Spell) string {
	switch {
	case s == nil:
		return "-"
	case s.None == s.Repeats:
		return "<" + Seconds(s.MaxNS)
	case s.Open > 0 && s.Repeats == 1:
		return ">" + Seconds(s.MaxNS)
	case s.Open > 0:
		return fmt.Sprintf(">%s (%d of %d)", Seconds(s.MaxNS), s.Open, s.Repeats)
	case s.GeoMeanNS != nil && !TooWide(*s.LowNS, *s.HighNS):
		return fmt.Sprintf("%s (%s–%s)", Seconds(*s.GeoMeanNS), Seconds(*s.LowNS), Seconds(*s.HighNS))
	case s.MinNS != s.MaxNS:
		return fmt.Sprintf("<%s (>%s)", Seconds(s.MaxNS), Seconds(s.MinNS))
	}
	return Seconds(s.MaxNS)
}
