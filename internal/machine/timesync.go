package machine

import (
	"context"
	"encoding/csv"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// timeSyncTimeout is how long a daemon may take to report the state of the clock.
const timeSyncTimeout = 2 * time.Second

// TimeSync says, for people, how well chrony or PTP know the time of this machine, or that
// neither can be asked. Nothing is computed from it.
func TimeSync(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, timeSyncTimeout)
	defer cancel()
	if text, err := exec.CommandContext(ctx, "chronyc", "-c", "tracking").Output(); err == nil {
		if bound, ok := chronyBound(string(text)); ok {
			return fmt.Sprintf("chrony says ±%v", bound)
		}
	}
	if text, err := exec.CommandContext(ctx, "pmc", "-u", "-b", "0", "GET CURRENT_DATA_SET").Output(); err == nil {
		if offset, ok := ptpOffset(string(text)); ok {
			return fmt.Sprintf("PTP says %v from its master", offset)
		}
	}
	return "no chrony or PTP to be asked"
}

// chronyBound reads the output of "chronyc -c tracking": the clock is right within half of the
// root delay, the root dispersion, and the remaining correction (chrony's documentation of
// tracking). The clock of a chrony without a source is not.
func chronyBound(text string) (bound time.Duration, ok bool) {
	fields, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil || len(fields) < 14 || fields[0] == "00000000" || strings.HasPrefix(fields[13], "Not") {
		return 0, false
	}
	var seconds [3]float64
	for i, field := range []int{4, 10, 11} { // system time, root delay, root dispersion
		if seconds[i], err = strconv.ParseFloat(fields[field], 64); err != nil {
			return 0, false
		}
	}
	sum := max(seconds[0], -seconds[0]) + seconds[1]/2 + seconds[2]
	return time.Duration(sum * float64(time.Second)).Round(time.Microsecond), true
}

// ptpOffset reads the output of pmc.
func ptpOffset(text string) (offset time.Duration, ok bool) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "offsetFromMaster" {
			ns, err := strconv.ParseFloat(fields[1], 64)
			return time.Duration(ns), err == nil
		}
	}
	return 0, false
}
