package judge

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// late: the generator sent so late that its lag is a large part of the response.
func late(c *results.Cell) results.Problem {
	limits := largerPartOf(c, c.Lag)
	advice := ""
	if first(limits) == 50 {
		advice = " (use more --senders, a lower rate, or another machine for the broker)"
	}
	return limiting(limits, "the generator was late: %s%s", inResponse(c, "lag", c.Lag, limits), advice)
}

// heldUp: the target's client kept the sender while messages were due, which is in
// their response times, as it should be. It is only a doubt if connections held up
// each other: independent callers would not have waited.
func heldUp(c *results.Cell) results.Problem {
	limits := largerPartOf(c, c.Held)
	text := inResponse(c, "held", c.Held, limits)
	if c.HeldByOthers < heldByOthers {
		return when(text != "", results.Valid, "the target's client held up the sender: %s", text)
	}
	return limiting(limits,
		"the target's client held up the sender: %s; %.0f %% of that time went to other connections, for which independent callers would not wait (use more --senders)",
		text, 100*c.HeldByOthers)
}

// largerPartOf returns the percentiles at which a part is most of the response.
func largerPartOf(c *results.Cell, part results.Distribution) []results.Limit {
	return ofResponse(c, func(percentile float64, _ time.Duration) bool {
		order, _ := partOrder(c, part, percentile)
		return order > 0
	})
}

// first returns the lowest percentile that is limited, and 0 if none is.
func first(limits []results.Limit) float64 {
	if len(limits) == 0 {
		return 0
	}
	return limits[0].Percentiles[0]
}

// inResponse says how much of the response a part is, at the lowest percentile that it
// limits.
func inResponse(c *results.Cell, name string, part results.Distribution, limits []results.Limit) string {
	percentile := first(limits)
	if percentile == 0 {
		return ""
	}
	response, _ := value(c.Response, percentile)
	v, _ := value(part, percentile)
	which := words.Percentile(percentile)
	return fmt.Sprintf("%s %s is %s ms of a response %s of %s ms", name, which, words.Millis(v), which, words.Millis(response))
}

// partOrder compares a part of the response, such as the lag, at a percentile with
// largerPart of the response there: order is 1 if the part is more, 0 if it is equal,
// and -1 if it is less or one of the two is unknown.
func partOrder(c *results.Cell, part results.Distribution, percentile float64) (order int, v time.Duration) {
	v, known := value(part, percentile)
	response, all := value(c.Response, percentile)
	if !known || !all {
		return -1, v
	}
	return cmp.Compare(float64(v), largerPart*float64(response)), v
}
