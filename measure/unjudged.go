package measure

import (
	"fmt"

	"github.com/brokerbench/brokerbench/results"
)

// unjudged lists the rules that say nothing of a cell because they lack what they
// judge by.
func (s surroundings) unjudged(c *results.Cell) (list []results.Unjudged) {
	for _, r := range s.rules() {
		if reason := s.lacks(r.code, c); reason != "" {
			list = append(list, results.Unjudged{Code: r.code, Reason: reason})
		}
	}
	return list
}

// lacks returns why a rule cannot be judged, and "" if it can.
func (s surroundings) lacks(code results.Code, c *results.Cell) string {
	_, m, known := usage(c)
	counted := known && m.BusyCores > 0 // this process alone uses CPU time
	switch code {                       //nolint:exhaustive // the other rules lack nothing
	case results.CodeProcessCPU:
		return s.because(c.Usage != nil, c, "")
	case results.CodeMachineCPU, results.CodeSteal:
		return s.because(counted, c, "the kernel counts no CPU time in /proc/stat")
	case results.CodeThrottled:
		return s.because(known && m.ThrottledNS != nil, c, "the cgroup of this process is not visible")
	case results.CodeFloor:
		return noFloor(c)
	case results.CodeSteady, results.CodeWarmup:
		if c.Steady == nil {
			return fmt.Sprintf("needs even or Poisson arrivals, and replies in %d seconds", leastBlocks)
		}
	case results.CodeHiccups: // elsewhere a wake-up is late by a millisecond or more, see machine.ObserveHiccups
		return s.because(c.Tail != nil && s.system == "linux", c, "")
	}
	return ""
}

// because returns why something is not known: nobody looked, the system cannot show
// it, or a reason that holds on Linux.
func (s surroundings) because(known bool, c *results.Cell, reason string) string {
	switch {
	case known:
		return ""
	case c.Usage == nil || c.Tail == nil:
		return "nobody observed this process"
	case s.system != "linux":
		return "needs Linux"
	}
	return reason
}
