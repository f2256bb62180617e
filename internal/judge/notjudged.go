package judge

import (
	"fmt"

	"github.com/brokerbench/brokerbench/results"
)

// notJudged lists the rules that could not judge a cell because their input is unknown.
func (e Environment) notJudged(c *results.Cell) (list []results.NotJudged) {
	for _, r := range e.rules() {
		if reason := e.lacks(r.code, c); reason != "" {
			list = append(list, results.NotJudged{Code: r.code, Reason: reason})
		}
	}
	return list
}

// lacks returns why a rule cannot be judged, and "" if it can.
func (e Environment) lacks(code results.Code, c *results.Cell) string {
	_, m, known := usage(c)
	counted := known && m.BusyCores > 0 // this process alone uses CPU time
	switch code {                       //nolint:exhaustive // the other rules lack nothing
	case results.CodeProcessCPU:
		return e.because(c.Usage != nil, c, "")
	case results.CodeMachineCPU, results.CodeSteal:
		return e.because(counted, c, "the kernel counts no CPU time in /proc/stat")
	case results.CodeThrottled:
		return e.because(known && m.ThrottledNS != nil, c, "the cgroup of this process is not visible")
	case results.CodeFloor:
		return noFloor(c)
	case results.CodeSteady, results.CodeWarmup:
		if c.Steady == nil {
			return fmt.Sprintf("needs even or Poisson arrivals, and replies in %d seconds", leastBlocks)
		}
	case results.CodeHiccups: // elsewhere a wake-up is late by a millisecond or more, see machine.ObserveHiccups
		return e.because(c.Tail != nil && e.OS == "linux", c, "")
	}
	return ""
}

// because returns why something is unknown: the process was not sampled, the system cannot show
// it, or a reason that holds on Linux.
func (e Environment) because(known bool, c *results.Cell, reason string) string {
	switch {
	case known:
		return ""
	case c.Usage == nil || c.Tail == nil:
		return "this process was not sampled"
	case e.OS != "linux":
		return "needs Linux"
	}
	return reason
}
