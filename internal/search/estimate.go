package search

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// none returns the upper bound of a Poisson mean after no event was seen, in an interval
// of 99 %: about −ln(0.5 %).
func none() float64 { return gamma(1, 1, quantile) }

// Least returns how long windows at a rate must be in all to decide that an objective
// is kept there, if no message is over its limit: so long that a pause of c.Pause that
// was not seen cannot break it. 0 is the default in all fields of c.
func (c Config) Least(o plan.Objective, rate int) time.Duration {
	c = c.withDefaults()
	limit := allowed(o)
	if o.Metric == "rate" {
		return 2 * c.Window
	}
	if limit <= 0 {
		return longest
	}
	seconds := none() / limit / float64(rate) // one message that was not seen
	if o.Metric == "" {
		seconds = max(seconds, none()/limit*(c.Pause-time.Duration(o.Limit)).Seconds())
	}
	return max(time.Duration(seconds*float64(time.Second)).Round(time.Second/10), c.Confirm)
}

// Probes returns about how many probes find the way for one objective: doublings up to
// a rate in the middle of the range, and halvings down to the precision. Those that
// decide come after them.
func (c Config) Probes() int {
	c = c.withDefaults()
	doublings := math.Log2(float64(c.Max)/float64(c.From)) / 2
	halvings := math.Log2(math.Ln2 / math.Log1p(c.Precision))
	return 2 + int(math.Round(doublings)) + int(math.Ceil(max(halvings, 0)))
}
