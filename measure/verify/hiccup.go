package verify

import (
	"cmp"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// OrdinaryHiccup returns how late one in a hundred of this process's wake-ups was
// in the check's cell; 0 if nobody observed that. The tolerances below p99.9
// include it.
func (c Check) OrdinaryHiccup() time.Duration { return ordinaryHiccup(c.Cell) }

func ordinaryHiccup(c *results.Cell) time.Duration {
	row, _ := hiccups(c).At(99)
	v, _ := row.Value()
	return v
}

// longestHiccup returns the longest time for which this process was runnable but
// not scheduled; 0 if nobody observed that.
func longestHiccup(c *results.Cell) time.Duration { return time.Duration(hiccups(c).MaxNS) }

func hiccups(c *results.Cell) results.Distribution {
	return *cmp.Or(c.Hiccup, new(results.Distribution))
}

// Disturbed returns the longest time for which the machine kept a process of any
// check from running, if that is more than rows tolerate; else 0. Then the machine
// may be why a row is outside of its tolerance.
func Disturbed(checks []Check) time.Duration {
	var longest int64
	for _, c := range checks {
		longest = max(longest, c.LateNS, c.HiccupNS)
	}
	if longest <= int64(tail) {
		return 0
	}
	return time.Duration(longest)
}
