package machine

import (
	"os"
	"strings"
)

// LoadAverages returns those of the machine over 1, 5 and 15 minutes, "" if they are not
// known.
func LoadAverages() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load := strings.Fields(string(text))
	return strings.Join(load[:min(3, len(load))], " ")
}
