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
	limits, first := partOf(c, c.Lag, shareShown)
	advice := ""
	if first.Percentile == 50 {
		advice = " (use more --senders, a lower rate, or another machine for the broker)"
	}
	return limiting(limits, "the generator was late: %s%s", inResponse("lag", c.Lag, first), advice)
}

// heldUp: the target's client kept the sender while messages were due, which is in
// their response times, as it should be. It is only a doubt if connections held up
// each other: independent callers would not have waited.
func heldUp(c *results.Cell) results.Problem {
	limits, first := partOf(c, c.Held, shareShown)
	text := inResponse("held", c.Held, first)
	if c.HeldByOthers < heldByOthers {
		return when(len(limits) > 0, results.Valid, "the target's client held up the sender: %s", text)
	}
	return limiting(limits,
		"the target's client held up the sender: %s; %.0f %% of that time went to other connections, for which independent callers would not wait (use more --senders)",
		text, 100*c.HeldByOthers)
}

// partOf returns the percentiles at which a part is more than a share of the response, and the
// one with the largest share.
func partOf(c *results.Cell, part results.Distribution, share float64) (list []results.Limit, largest results.Percentile) {
	most := 0.0
	list, _ = ofResponse(c, func(row results.Percentile) bool {
		v, known := value(part, row.Percentile)
		got := float64(v) / float64(*row.ValueNS)
		if known && got > most {
			most, largest = got, row
		}
		return known && got > share
	})
	return list, largest
}

// inResponse says how much of the response a part is, at a percentile.
func inResponse(name string, part results.Distribution, response results.Percentile) string {
	all, _ := response.Value()
	v, _ := value(part, response.Percentile)
	which := words.Percentile(response.Percentile)
	return fmt.Sprintf("%s %s is %s ms of a response %s of %s ms (%.0f %%)", name, which, words.Millis(v), which, words.Millis(all), 100*float64(v)/float64(all))
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

// echoed: the echo was lost, or its own time is a large part of the response.
func echoed(c *results.Cell) results.Problem {
	e := c.Echo
	switch {
	case e == nil:
		return results.Problem{}
	case e.Lost != "":
		return spoils(c, results.Invalid, "the echo was lost: %s: missing or late messages may be its fault, not the target's", e.Lost)
	case e.Failed > 0:
		return when(true, results.Suspect, "the echo could not send back %d of %d messages; the first: %s", e.Failed, e.Received, e.Cause)
	case e.Busy >= echoBusy:
		return limiting(all(c), "the echo was busy for %.0f %% of the time on one connection, %s ms a message on average: messages waited for it, or it waited until the target took them (use more --connections, or a lower rate)",
			100*e.Busy, words.Millis(time.Duration(e.Handling.MeanNS)))
	}
	limits, first := partOf(c, e.Handling, largerPart)
	if len(limits) > 0 || e.Hiccup == nil {
		return limiting(limits, "the echo was slow: %s", inResponse("handling", e.Handling, first))
	}
	limits, first = partOf(c, *e.Hiccup, largerPart)
	return limiting(limits, "the echo stood still: %s", inResponse("its hiccup", *e.Hiccup, first))
}

// byEcho adds to a text about missing messages what the echo counted.
func byEcho(c *results.Cell) string {
	if c.Echo == nil || c.Echo.Lost != "" {
		return ""
	}
	return fmt.Sprintf(" (with an echo that is two hops: it was given %d messages, and could not send %d)", c.Echo.Received, c.Echo.Failed)
}
