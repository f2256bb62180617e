package judge

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// drifting: response times rose or fell over the window, so percentiles depend on when
// it was.
func drifting(c *results.Cell) results.Problem {
	s := c.Steady
	if s == nil || !s.Sure {
		return results.Problem{}
	}
	moved, by := "rose", s.P50Change-1
	if by < 0 {
		moved, by = "fell", -by
	}
	return when(true, results.Suspect, "not steady: p50 %s by %.0f %% over the window", moved, 100*by)
}

// cold: the window began before the target was warm.
func cold(c *results.Cell) results.Problem {
	s := c.Steady
	if s == nil || s.ColdNS == 0 {
		return results.Problem{}
	}
	return when(true, results.Suspect, "p50 is %s ms in the first %v of the window and %s ms after it: warm up for longer (--warmup)",
		words.Millis(time.Duration(s.ColdP50NS)), time.Duration(s.ColdNS).Round(100*time.Millisecond), words.Millis(time.Duration(s.WarmP50NS)))
}
