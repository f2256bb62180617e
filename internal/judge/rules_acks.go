package judge

import "github.com/brokerbench/brokerbench/results"

// lostAcked: acknowledged messages were lost.
func lostAcked(c *results.Cell) results.Problem {
	if a := c.Audit; a != nil && a.Error == "" && a.Missing > 0 {
		return when(true, results.Suspect, "%s", a.Loss())
	}
	if p := c.AckLedger; p != nil && p.Missing > 0 {
		return when(true, results.Suspect, "%d of %d messages that were acknowledged were not delivered by the end%s", p.Missing, p.Acked, byEcho(c))
	}
	return results.Problem{}
}

// unaudited: the store was not read to its end, or something is missing that may not be lost.
func unaudited(c *results.Cell) results.Problem {
	if c.Audit == nil {
		return results.Problem{}
	}
	return when(c.Audit.Error != "", results.Suspect, "the contents of the target's store are unknown: %s", c.Audit.Error)
}
