package measure

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	hardware "github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/results"
)

// hiccups: the worst responses came while this process was kept from running.
func hiccups(c *results.Cell) (results.Verdict, string) {
	t := c.Tail
	if t == nil || t.Intervals == 0 || float64(t.WithHiccup) < hiccupSeconds*float64(t.Intervals) {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf(
		"the tail is this machine's: of the %d seconds with responses of %s ms or more, %d also held a hiccup of at least half that (longest %s ms)",
		t.Intervals, words.Millis(time.Duration(t.ThresholdNS)), t.WithHiccup, words.Millis(time.Duration(t.LargestHiccupNS)))
}

// stoodStill tells whether a hiccup explains a response.
func stoodStill(hiccup, response time.Duration) bool {
	return float64(hiccup) >= hiccupShare*float64(response)
}

// slowClock: reading the clock is a system call, or coarse.
func (s surroundings) slowClock(*results.Cell) (results.Verdict, string) {
	if hardware.FastClock(s.clock) {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf(
		"the clock source is %s, which is slow or coarse: every time stamp costs time (boot with clocksource=tsc)", s.clock)
}

// sharedMachine: client and broker compete for the same cores.
func (s surroundings) sharedMachine(*results.Cell) (results.Verdict, string) {
	if !s.shared {
		return "", ""
	}
	return results.Valid, "client and broker share this machine: they compete for its cores"
}
