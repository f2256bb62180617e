package judge

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

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
	if limits := largerPartOf(c, e.Handling); len(limits) > 0 {
		return limiting(limits, "the echo was slow: %s", inResponse(c, "handling", e.Handling, limits))
	}
	if e.Hiccup == nil {
		return results.Problem{}
	}
	limits := largerPartOf(c, *e.Hiccup)
	return limiting(limits, "the echo stood still: %s", inResponse(c, "its hiccup", *e.Hiccup, limits))
}

// byEcho adds to a text about missing messages what the echo counted.
func byEcho(c *results.Cell) string {
	if c.Echo == nil || c.Echo.Lost != "" {
		return ""
	}
	return fmt.Sprintf(" (with an echo that is two hops: it was given %d messages, and could not send %d)", c.Echo.Received, c.Echo.Failed)
}
