package words

import (
	"strings"
	"time"
)

// About writes a duration that is an estimate: whole seconds, below ten of them
// tenths, without minutes and seconds that are zero: 8.5s, 13m19s, 2h.
func About(d time.Duration) string {
	unit := time.Second
	if d < 10*time.Second {
		unit = 100 * time.Millisecond
	}
	text := d.Round(unit).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
