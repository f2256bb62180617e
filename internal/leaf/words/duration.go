package words

import "time"

// Duration writes a duration with its unit and at most four digits: 999ns,
// 4.123ms, 1.412s.
func Duration(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 10_000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}
