package measure

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

// late: the generator sent so late that its lag is a large part of what it
// measures.
func late(c *results.Cell) (results.Verdict, string) {
	percentile, text := inResponse(c, "lag", c.Lag)
	if percentile == 50 {
		text += " (use more --senders, a lower rate, or another machine for the broker)"
	}
	return when(text != "", results.Suspect, "the generator was late: %s", text)
}

// heldUp: the target's client kept the sender while messages were due, which is in
// their response times, as it should be. It is only a doubt if connections held up
// each other: callers of their own would not have waited.
func heldUp(c *results.Cell) (results.Verdict, string) {
	_, text := inResponse(c, "held", c.Held)
	at50, _ := partOrder(c, c.Held, 50)
	at99, _ := partOrder(c, c.Held, 99)
	if c.HeldByOthers < heldByOthers || max(at50, at99) < 0 {
		return when(text != "", results.Valid, "the target's client held up the sender: %s", text)
	}
	return when(text != "", results.Suspect,
		"the target's client held up the sender: %s; %.0f %% of that time went to other connections, for which callers of their own do not wait (use more --senders)",
		text, 100*c.HeldByOthers)
}

// inResponse says at which percentile a part of the response is a large one: half of
// the median, or a p99 above the median. It returns 0, "" if it is none.
func inResponse(c *results.Cell, name string, part results.Distribution) (percentile float64, text string) {
	median, known := value(c.Response, 50)
	if !known {
		return 0, ""
	}
	if order, p50 := partOrder(c, part, 50); order > 0 {
		return 50, fmt.Sprintf("%s p50 is %s ms of a response p50 of %s ms", name, words.Millis(p50), words.Millis(median))
	}
	if p99, _ := value(part, 99); p99 > median {
		return 99, fmt.Sprintf("%s p99 is %s ms, above the response p50 of %s ms, so response times from p99 on contain it",
			name, words.Millis(p99), words.Millis(median))
	}
	return 0, ""
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
