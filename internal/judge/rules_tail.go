package judge

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// hiccups: the worst responses came while this process was kept from running, which it
// was not as often in ordinary seconds.
func hiccups(c *results.Cell) results.Problem {
	t := c.Tail
	if c.Hiccup == nil || !moreThanUsual(t) {
		return results.Problem{}
	}
	limited := where(c, func(percentile float64, v time.Duration) bool {
		hiccup, known := value(*c.Hiccup, percentile)
		return int64(v) >= t.ThresholdNS || known && stoodStill(hiccup, v)
	})
	return limiting(limited,
		"of the %d seconds with responses of %s ms or more, %d also held a hiccup of at least half that, and %d of the %d others (longest %s ms)",
		t.Intervals, words.Millis(time.Duration(t.ThresholdNS)), t.WithHiccup, t.OrdinaryWithHiccup, t.Ordinary, words.Millis(time.Duration(t.LargestHiccupNS)))
}

// moreThanUsual tells whether hiccups are so much more frequent in the worst seconds
// than in the others that they explain half of the worst at least, and that chance does
// not explain it, by Fisher's exact test.
func moreThanUsual(t *results.Tail) bool {
	if t == nil || t.Intervals < worstSeconds || t.Ordinary == 0 {
		return false
	}
	worst := float64(t.WithHiccup) / float64(t.Intervals)
	usual := float64(t.OrdinaryWithHiccup) / float64(t.Ordinary)
	return worst-usual >= hiccupSeconds && stats.Fisher(t.WithHiccup, t.Intervals, t.OrdinaryWithHiccup, t.Ordinary) < hiccupChance
}
