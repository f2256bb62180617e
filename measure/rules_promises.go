package measure

import "github.com/brokerbench/brokerbench/results"

// lostAcked: the target broke its word.
func lostAcked(c *results.Cell) results.Problem {
	if a := c.Audit; a != nil && a.Error == "" && a.Missing > 0 {
		return when(true, results.Suspect, "%s", a.Loss())
	}
	if p := c.Promises; p != nil && p.Broken > 0 {
		return when(true, results.Suspect, "%d of %d messages that were acknowledged were not delivered until the end%s", p.Broken, p.Acked, byEcho(c))
	}
	return results.Problem{}
}

// unaudited: the store was not read to its end, or something is missing that may not be lost.
func unaudited(c *results.Cell) results.Problem {
	if c.Audit == nil {
		return results.Problem{}
	}
	return when(c.Audit.Error != "", results.Suspect, "what the target has kept is not known: %s", c.Audit.Error)
}
